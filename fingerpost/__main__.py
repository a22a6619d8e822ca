"""`python -m fingerpost` is the command `fingerpost`."""

import sys

from fingerpost.cli import main

sys.exit(main())
