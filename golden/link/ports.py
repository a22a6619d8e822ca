"""OS-Link ports that are joined by nothing, many at once: for tests and benches of ports alone."""

from typing import Any

import numpy as np

from fingerpost.golden.arrays import Array, BoolArray, IntArray
from fingerpost.golden.jit.compile import called, compiled
from fingerpost.golden.link.os_link import (
    PortConfig,
    Ports,
    errors,
    heard,
    link_out,
    make_config,
    make_ports,
    step_port,
    tx_ready,
)
from fingerpost.golden.link.parameters import ERRORS, OsLinkParameters
from fingerpost.golden.router.records import record

INPUT = record(int32="tx_data", bool="ticks link_in tx_valid rx_ready tx_break")
"""What a port gets."""

SHOWN = record(
    int32="rx_data errors level",
    bool=f"link_out tx_ready rx_valid tx_done {' '.join(ERRORS)} idle byte",
)
"""What a port shows in a clock, by its registers.

link_out
    The wire to the other port.
tx_ready
    A byte would be taken now.
rx_valid, rx_data
    The oldest byte that was received.
tx_done
    The byte that was sent is acknowledged.
err_frame
    A byte without stop bit; it is dropped.
err_ack
    An acknowledge without an outstanding byte; it is ignored.
err_window
    A second byte before the acknowledge of the first.
err_over
    A byte for which there is no room; it is dropped.
err_timeout
    A byte was not acknowledged in time; stays until a break or reset.
link_break
    A break came in.
errors
    All of these, a bit for each of `ERRORS`.
idle
    Nothing is on the wires, waits for an acknowledge or owes one.
byte, level
    A byte is complete; so many wait in the port.
"""


class OsLink:
    """OS-Link ports, many at once. Every array has an element for each port.

    All that they show depends on the state alone, so it can be read before `step`, which is the
    clock edge. The fields of `SHOWN` are attributes.

    Attributes
    ----------
    receiver : array of RECEIVER
    """

    def __init__(self, ports: int, parameters: OsLinkParameters) -> None:
        self.ports, self.parameters, self.config = ports, parameters, make_config(parameters)
        self.state = Ports(*(array[0] for array in make_ports(1, ports, self.config)))
        self.receiver = self.state.receiver
        self.shown = np.zeros(ports, SHOWN)
        _show(self.state, self.config, self.shown)

    def __getattr__(self, name: str) -> Array:
        if name not in (SHOWN.names or ()):
            raise AttributeError(name)
        column: Array = self.shown[name].copy()
        return column

    def step(
        self,
        link_in: BoolArray,
        tx_data: IntArray,
        tx_valid: BoolArray,
        rx_ready: BoolArray,
        tx_break: BoolArray | None = None,
        ticks: BoolArray | None = None,
    ) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        link_in : array of bool
            The wire from the other port.
        tx_data, tx_valid : arrays
            The byte to send.
        rx_ready : array of bool
            The byte at `rx_data` is taken, if there is one.
        tx_break : array of bool, optional
            A break is asked for.
        ticks : array of bool, optional
            The ports whose clock ticks; the others stay in their state.
        """
        given = np.zeros(self.ports, INPUT)
        given["link_in"], given["rx_ready"] = link_in, rx_ready
        given["tx_data"], given["tx_valid"] = tx_data, tx_valid
        given["tx_break"] = False if tx_break is None else tx_break
        given["ticks"] = True if ticks is None else ticks
        _step(given, self.state, self.config, self.shown)

    def restart(self, which: BoolArray) -> None:
        """Put ports into the state after a reset.

        The two flip-flops at the wire stay as they are: amaranth.lib.cdc gives them no reset.
        """
        fresh = OsLink(self.ports, self.parameters).state
        for name in ("metastable", "line"):
            fresh.receiver[name] = self.receiver[name]
        for array, new in zip(self.state, fresh, strict=True):
            rows, others = array.reshape(self.ports, -1), new.reshape(self.ports, -1)
            rows[which] = others[which]
        _show(self.state, self.config, self.shown)


@compiled
def show(number: int, ports: Ports, config: PortConfig, shown: Any) -> None:
    """Fill in what a port shows."""
    port, receiver = ports.port[number], ports.receiver[number]
    signals, found = heard(receiver, config), errors(number, ports, config)
    shown.link_out, shown.tx_ready = link_out(number, ports), tx_ready(number, ports, config)
    shown.rx_valid, shown.rx_data = port.level > 0, ports.fifo[number * config.fifo]
    shown.tx_done = signals.acknowledge and port.outstanding
    shown.errors, shown.err_frame, shown.err_ack = found, found & 1 > 0, found & 2 > 0
    shown.err_window, shown.err_over = found & 4 > 0, found & 8 > 0
    shown.err_timeout, shown.link_break = found & 16 > 0, found & 32 > 0
    busy = port.outstanding or port.owed or receiver.active
    shown.idle = not busy and ports.transmitter[number].left == 0
    shown.byte, shown.level = signals.byte, port.level


@called
def _step(given: Any, ports: Ports, config: PortConfig, shown: Any) -> None:
    """Let ports go through a clock edge; fill in what they show then."""
    for number in range(len(given)):
        port = given[number]
        if port.ticks:
            step_port(
                number,
                port.link_in,
                port.tx_data,
                port.tx_valid,
                port.rx_ready,
                port.tx_break,
                ports,
                config,
            )
            show(number, ports, config, shown[number])


@called
def _show(ports: Ports, config: PortConfig, shown: Any) -> None:
    """Fill in what ports show."""
    for number in range(len(shown)):
        show(number, ports, config, shown[number])
