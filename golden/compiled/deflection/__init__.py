"""Deflection routers in the compiled model; the counterpart of fingerpost.golden.model.deflection.

The phases of a cycle. From `depart` on a phase is done for one router after the other, the last
stage first, so that registers are overwritten when they have been read; only the links are there
twice, those of this cycle and those of the next.

| phase | reads | writes |
|---|---|---|
| receive | ejected | packets, faults, counts |
| depart | switched (ranked, with `hop_cycles` 3) | links of the next cycle |
| switch (`hop_cycles` 4) | ranked | switched |
| rank | arrived, table | ranked |
| arrive | links, packets of the terminal | arrived, ejected, pending |
| end_cycle | stalls, pending of the cycle before | epoch, hold, what ejection ports take |
"""
