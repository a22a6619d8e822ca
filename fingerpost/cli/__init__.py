"""The command line: commands, their options, errors and exit statuses."""
