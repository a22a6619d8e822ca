"""The sections of the page, one file each, with the command to run if one has no content."""
