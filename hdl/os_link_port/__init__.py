"""A port of an OS-Link for a design without a network: bare, or with registers."""
