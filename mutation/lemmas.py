"""What is proven of the components of a router, as help for a proof about the whole router."""

import re
from collections.abc import Iterator

__all__ = ["lemmas"]

VC_STATE = re.compile(r"(?:reg|wire) \[\d+:0\] (\\output\d+\.vc_state\d+)\.eligible ;")

BATCHES = re.compile(r"(?:reg|wire) \[\d+:0\] (\\output\d+\.batch_arbiter\d+)\.served ")

CANDIDATE = re.compile(r"(?:reg|wire) \[\d+:0\] (\\input\d+\.candidate) ")


def lemmas(verilog: str, *, moving: bool) -> Iterator[str]:
    """Yield claims of contracts as Verilog, with the names of a netlist of a router.

    Parameters
    ----------
    verilog : str
        The netlist of a router, flattened.
    moving : bool
        Whether a head from the terminal may wait for one channel and then for another. The claim
        of the batch arbiter assumes that it does not.
    """
    for name in CANDIDATE.findall(verilog):
        # formal/input_port.py: candidate. A mutated register starts at 0, so not "exactly one".
        yield f"!({name} & ({name} - 1'b1))"
    for name in VC_STATE.findall(verilog):
        # formal/output_port.py: one_packet, unmixed
        able, head = f"{name}.eligible ", f"{name}.front.head "
        yield f"!({able} & ~{head}) || !({able} & ({able} - 1'b1))"
    for name in () if moving else BATCHES.findall(verilog):
        # formal/batch_arbiter.py: one_is_pending
        yield f"!{name}.served || |{name}.pending "
