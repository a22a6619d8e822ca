"""Proofs: what is claimed of components of hdl, whatever the signals around them do."""
