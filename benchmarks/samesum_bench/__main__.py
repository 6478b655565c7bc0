"""`python -m samesum_bench`, from the folder benchmarks/ of a checkout."""

from __future__ import annotations

import sys

from samesum_bench.command import main

sys.exit(main())
