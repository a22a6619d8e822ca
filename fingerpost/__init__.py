"""The front door: network files, command line, answers."""
