"""Logic and descriptions that all of the hardware shares."""
