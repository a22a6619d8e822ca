"""AXI4 terminals without flow control: the users of their streams are managers and subordinates."""

from fingerpost.golden.terminal import axi4_users, axi_interface, axi_sender
from fingerpost.golden.terminal.axi_interface import sends_with

send, return_credits = sends_with(axi_sender, axi4_users), axi_interface.returns_with(axi4_users)
receive, receive_credits = axi_interface.receive, axi_interface.receive_credits
note_sent, note_received = axi_interface.note_sent, axi_interface.note_received
