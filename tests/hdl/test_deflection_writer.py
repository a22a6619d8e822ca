"""AXI4-Lite in front of the tables of deflection routers: one entry a write, or none."""

from typing import Any

from fingerpost.hdl.deflection.writer import TableWriter
from tests.golden.deflection.examples import deflection
from tests.hdl.simulators import simulate

NODE, DESTINATION, ENTRY, NOTHING = 0, 4, 8, 12


def test_writes_one_entry_or_refuses() -> None:
    network = deflection("petersen", link_up=True)
    writer = TableWriter(network)
    header, entry = network.destination_width, network.entry_width
    seen: list[tuple[int, int, int]] = []
    responses: list[int] = []

    async def write(ctx: Any, address: int, value: int, strobe: int = 15) -> None:
        bus = writer.bus
        ctx.set(bus.awaddr, address)
        ctx.set(bus.wdata, value)
        ctx.set(bus.wstrb, strobe)
        waits = {"awvalid", "wvalid"}
        for name in waits:
            ctx.set(getattr(bus, name), 1)
        ctx.set(bus.bready, 1)
        for _ in range(20):
            done = {name for name in waits if ctx.get(getattr(bus, f"{name[:-5]}ready"))}
            answered, response = ctx.get(bus.bvalid), ctx.get(bus.bresp)
            await ctx.tick()
            for name in done & waits:
                ctx.set(getattr(bus, name), 0)
            waits -= done
            if answered:
                responses.append(response)
                return
        raise AssertionError("no response")

    async def manager(ctx: Any) -> None:
        for address, value in ((NODE, 7), (DESTINATION, 3), (ENTRY, 0b10101)):
            await write(ctx, address, value)
        await write(ctx, ENTRY, 0b00110)  # the node and the terminal are as before
        await write(ctx, ENTRY, 1, strobe=7)
        await write(ctx, NOTHING, 1)
        await write(ctx, NODE, 10)  # there is none
        await write(ctx, ENTRY, 1)
        await write(ctx, NODE, 9)
        await write(ctx, ENTRY, 2)
        await ctx.tick().repeat(4)

    async def watch(ctx: Any) -> None:
        while True:
            await ctx.tick()
            which = ctx.get(writer.table_write)
            for node in range(10):
                if which >> node & 1:
                    destination = ctx.get(writer.table_destination) >> node * header
                    value = ctx.get(writer.table_entry) >> node * entry
                    found = node, destination & ((1 << header) - 1), value & ((1 << entry) - 1)
                    seen.append(found)

    simulate(writer, manager, [watch])
    assert seen == [(7, 3, 0b10101), (7, 3, 0b00110), (9, 3, 2)]
    assert responses == [0, 0, 0, 0, 2, 2, 0, 2, 0, 0]
