"""The sections of the page, one file each: what it tells, and what to run where it has nothing."""
