"""The commands: options (`main`), answer (`facts`), text (`render`), Python form.

With `--json` a command prints one JSON object on standard output; messages and progress go to
standard error. Unknown values are `null`. Nodes are numbers; ports are 0..degree-1, and `degree`
is the terminal. Cycles are clock cycles of the routers, seconds are wall-clock time. Within a
version of `schema` keys keep their meaning and unit; keys may be added.

| exit status | meaning |
|---|---|
| 0 | success |
| 1 | hardware and model (or paper and program) differ |
| 2 | wrong input |
| 3, 4, 5 | `simulate`: not stable, deadlocked, undecided; `prove --rtl`: 3 if not all is proven |
| 130 | Ctrl-C |

Answers have these keys, where they apply, and those of their command:

Keys
----
schema : 1
    Version of these keys.
provenance
    `version` of fingerpost; the `command` line; of each of the `networks` its `name` and
    `description_sha256`, as in the manifest; the `seed`, as text if there are several.
network
    Name of the network.
family, algorithm
    As in the network file.
nodes, terminals : nodes
    Number of nodes; of those with a terminal.
links : links
    Without those of terminals; each direction counts.
link_load : flits/cycle
    Over all links.
load : flits/terminal/cycle
    Requested offered load, mean over terminals; `null` for a trace as recorded.
virtual_channels : channels
    With `needed`, the proven number.
assumption
    That of the proof.
faults
    With faults: failed `links` and `nodes`, nodes `cut_off`, `lost_terminals`,
    `pairs_connected`.
cycles, seed : cycles, 1
    The argument; of `cosim` the cycles run.
precision
    Half the 95 % interval of the mean latency, as a part of the mean: the argument.
seconds : s
    Duration, without building.
"""
