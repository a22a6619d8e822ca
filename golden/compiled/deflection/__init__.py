"""Deflection routers in the compiled model; the counterpart of fingerpost.golden.model.deflection.

The phases of a cycle. From `depart` on a phase is done for one router after the other, the last
stage first, so that registers are overwritten when they have been read; only the links are there
twice, those of this cycle and those of the next.

All links are up.

| phase | reads | writes |
|---|---|---|
| receive | ejected | terminals, counts |
| send (AXI4-Stream) | users, senders | users, queue of the terminal |
| depart | switched (ranked, with `hop_cycles` 3) | links of the next cycle |
| switch (`hop_cycles` 4) | ranked | switched |
| rank | arrived, table | ranked |
| arrive | links, packets or queue of the terminal | arrived, ejected, pending |
| end_cycle of terminals | what was received, stalls | all of terminals, what ejection ports take |
| end_cycle | pending of the cycle before | epoch, hold |

`kinds` has the functions of terminals: those of `single` (packets of one flit), or of `flow`.
"""
