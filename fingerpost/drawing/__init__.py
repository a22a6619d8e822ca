"""Pictures of networks, routes, loads and waveforms."""
