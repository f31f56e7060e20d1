"""`python -m perfatlas`, and what the file that a server hands out begins with."""

import sys

from perfatlas.command import main

sys.exit(main())
