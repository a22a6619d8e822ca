"""Network files: read, validated, explained and scaffolded."""
