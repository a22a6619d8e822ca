"""Large networks in lock-step: each kind of node is compiled once, and stands at many nodes."""
