"""Mutants of routers: what is planted is found, what is harmless lives, what is equal is proven."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from fingerpost.formal.prove import ProofError
from fingerpost.golden.network.network import build
from fingerpost.hdl.emit.routers import node, node_straps
from fingerpost.testbench.compiled import build as building
from fingerpost.testbench.compiled.wiring import ports
from mutation import nodes
from mutation.campaign import Killed, campaign, healthy
from mutation.equivalent import Surroundings, equivalent
from mutation.mutated import SELECTOR, Mutant, Mutated, mutate
from mutation.nodes import NodeHunt, Nodes, Trial, alone, first, in_level, selectable
from mutation.subjects import SUBJECTS

pytestmark = pytest.mark.usefixtures("hasty")

ROTATOR = next(
    subject for subject in SUBJECTS if isinstance(subject, Nodes) and subject.name == "rotator"
)

NETWORK, MODULE = build(ROTATOR.description), "rotator_router"

COUNTED, NOTHING, IDLE, LATE = 1, 2, 3, 4

PLANTED = {
    # An error that was counted is not.
    "errors": f"{SELECTOR} == {COUNTED} && inner_errors == 3 ? 2 : inner_errors",
    # What is on a link on which nothing is.
    "outputs__0__flit": f"inner_outputs__0__flit ^ "
    f"({SELECTOR} == {IDLE} && inner_outputs__0__valid == 0)",
    # One flit more than 2,000 cycles after a reset, for which no bench waits.
    "outputs__1__valid": f"inner_outputs__1__valid ^ ({SELECTOR} == {LATE} && age == 2000)",
}


@pytest.fixture(scope="module")
def some() -> Mutated:
    return mutate(node(NETWORK), MODULE, count=12, seed=1)


@pytest.fixture(scope="module")
def planted(some: Mutated) -> Mutated:
    """Return the router in a module around it that has three mutants."""
    known = ports(some.text)[MODULE]
    lines = [f"  .{port.name}({'inner_' * port.output}{port.name})" for port in known]
    around = [f"module {MODULE}({', '.join(port.name for port in known)});"]
    for port in known:
        bits = f"[{port.width - 1}:0] "
        around.append(f"  {'output' if port.output else 'input'} {bits}{port.name};")
        if port.output:
            inner = f"inner_{port.name}"
            around.append(f"  wire {bits}{inner};")
            around.append(f"  assign {port.name} = {PLANTED.get(port.name, inner)};")
    around += [
        "  reg [11:0] age = 0;", "  always @(posedge clk) age <= rst ? 0 : age + 1;",
        "  inner_router inner(", ",\n".join(lines).replace(f"({SELECTOR})", "(16'd0)"), "  );",
        "endmodule", re.sub(rf"\b{MODULE}\b", "inner_router", some.text),
    ]  # fmt: skip
    several = [Mutant(n, "inv", "inner", "A[0]", ()) for n in (COUNTED, NOTHING, IDLE, LATE)]
    return Mutated("\n".join(around), tuple(several))


@pytest.fixture(scope="module")
def trials(planted: Mutated, tmp_path_factory: pytest.TempPathFactory) -> Sequence[Trial]:
    cache = tmp_path_factory.mktemp("mutation")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "OPTIMISE", "-O0")
        return [
            in_level(NETWORK, "network", MODULE, planted, ROTATOR.stimuli, cache=cache),
            alone(NETWORK, MODULE, planted, routers=1, cache=cache),
        ]


class Before(NodeHunt):
    """Benches that are given before mutants that are given."""

    def __init__(self, trials: Sequence[Trial]) -> None:
        self.trials = trials


@pytest.mark.regress
def test_finds_what_is_planted_and_lets_live_what_is_harmless(
    trials: Sequence[Trial], monkeypatch: pytest.MonkeyPatch
) -> None:
    healthy(Before(trials))
    for trial in trials:
        found = first([trial], COUNTED)
        assert found is not None
        assert found.by == trial.name
        assert found.cycle
    assert [first(trials, number) for number in (NOTHING, IDLE, LATE)] == [None] * 3
    (given, expected), *_ = trials[0].turns
    wrong = expected.copy()
    wrong[100, 0] ^= 1  # a valid bit
    bad = Trial("network", trials[0].assembly, [(given, wrong)])
    with pytest.raises(RuntimeError, match=r"^Hardware differs in network, cycle 100, without a"):
        healthy(Before([bad]))

    def hangs(*_: object) -> None:
        raise SystemError

    monkeypatch.setattr(Trial, "run", hangs)  # a simulator that a mutant hangs up
    assert first(trials[:1], COUNTED) == Killed("network", None)


@pytest.mark.regress
def test_proves_what_changes_nothing(planted: Mutated, tmp_path: Path) -> None:
    constants = [
        dict(zip(("straps", "increments"), node_straps(NETWORK, v), strict=True)) for v in range(2)
    ]

    def same(number: int, *lemmas: str) -> bool | None:
        return equivalent(
            planted.text,
            MODULE,
            number,
            depth=4,
            constants=constants,
            lemmas=lemmas,
            cache=tmp_path,
        )

    assert same(IDLE) is True
    assert same(COUNTED) is not True
    with pytest.raises(ProofError, match=r"a lemma does not hold at power-up$"):
        same(COUNTED, "age == 1")


@pytest.mark.regress
def test_the_same_seed_gives_the_same_mutants(some: Mutated) -> None:
    assert mutate(node(NETWORK), MODULE, count=12, seed=1) == some
    other = mutate(node(NETWORK), MODULE, count=12, seed=2)
    assert {*map(str, other.mutants)} != {*map(str, some.mutants)}
    assert len({*map(str, some.mutants)}) == len(some.mutants) == 12
    assert not any("CLK" in mutant.port for mutant in some.mutants)
    lines = [line for mutant in some.mutants for line in mutant.lines]
    assert any(line.startswith("hdl/router/output_port.py:") for line in lines)


def test_mutants_are_where_the_pattern_says() -> None:
    within = mutate(node(NETWORK), MODULE, count=5, seed=1, within=r"\.vc_buffer\d\.", spare=20)
    assert {mutant.component for mutant in within.mutants} == {"vc_buffer"}
    with pytest.raises(ValueError, match=r"^Mutants need a count from 1 to 65535, not 0$"):
        mutate(node(NETWORK), MODULE, count=0, seed=1)
    with pytest.raises(ValueError, match=r"^Mutants need nodes of module x, and there is none$"):
        selectable({"network.v": "  y node_0(\n"}, "x", "")


def test_reads_what_yosys_lists() -> None:
    command = (
        r"mutate -ctrl mutant 16 3 -mode cnot1 -module r -cell $flatten\input0.\queue1.$47 -port Q "
        r"-portbit 2 -ctrlbit 5 -wire w -wirebit 2 -src /a/x.py:9 "
        r"-src /b/hdl/router/vc_buffer.py:68"
    )
    mutant = Mutant.of(command)
    assert mutant.component == "queue"
    assert str(mutant) == "cnot1 input0.queue1.$47 Q[2] by 5 hdl/router/vc_buffer.py:68"
    assert not Mutant(1, "inv", "$9", "A[0]", ()).component
    assert Mutant(1, "inv", "bypass_limit4_0.$9", "A[0]", ()).component == "bypass_limit"


@pytest.mark.regress
def test_mutants_of_a_router_are_found_or_change_nothing(tmp_path: Path) -> None:
    fates = campaign(ROTATOR, count=60, seed=3, cache=tmp_path)
    assert len(fates) == 60
    assert not [fate for fate in fates if fate.killed is None and not fate.equivalent]


@pytest.mark.regress
def test_proves_with_whole_packets_and_with_lemmas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    router = {**ROTATOR.description["router"], "hop_cycles": 3}
    three = replace(ROTATOR, description={**ROTATOR.description, "router": router})
    hunt = three.hunt(count=200, seed=1, cache=tmp_path)  # which has two mutants of use here
    number = {mutant.name: mutant.number for mutant in hunt.mutants}
    header = number["const0 input1.route_stage.routing.$173 A[0]"]  # no route brings it
    batch = number["const1 output2.batch_arbiter0.$19 Y[0]"]  # pending, if it is masked
    killed = [number for number in range(1, 200, 20) if hunt.kill(number)]
    assert len(killed) > 5
    assert hunt.equivalent(header)
    assert hunt.equivalent(batch)
    assert not any(hunt.equivalent(number) for number in killed)
    monkeypatch.setattr(nodes, "packets", lambda *_: Surroundings())
    assert not hunt.equivalent(header)
    monkeypatch.undo()
    monkeypatch.setattr(nodes, "lemmas", lambda *_, **__: ())
    assert not hunt.equivalent(batch)
