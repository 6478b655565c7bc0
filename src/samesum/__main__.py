"""`python -m samesum` is the command `samesum`."""

from __future__ import annotations

import sys

from samesum.cli.main import main

sys.exit(main())
