"""AXI4 terminals with end-to-end flow control; see `golden.terminal.axi4_interface`."""

from fingerpost.golden.terminal import axi4_users, flow_interface, flow_sender
from fingerpost.golden.terminal.axi_interface import sends_with

send = sends_with(flow_sender, axi4_users)
return_credits = flow_interface.returns_with(flow_interface.exchanges_with(axi4_users))
receive, receive_credits = flow_interface.receive, flow_interface.receive_credits
note_sent, note_received = flow_interface.note_sent, flow_interface.note_received
