"""Benches of OS-Links: ports in pairs, peers, frames and delaying wires."""
