"""What stands around parts of terminals that are tried alone, with their models, clock by clock."""
