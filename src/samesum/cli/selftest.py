"""`samesum selftest`: digests of a fixed set of calls, the same on every machine."""

from __future__ import annotations

import argparse
from typing import Any

from samesum import __version__
from samesum.cli.exits import Exit
from samesum.cli.show import print_json
from samesum.conformance.selftest import digests
from samesum.errors import SITE


def add_to(verbs: Any) -> None:
    """Adds the verb and its options."""
    parser = verbs.add_parser(
        "selftest",
        help="digests of a fixed set of calls, to compare machines",
        description="Prints digests of a fixed set of calls over all reductions, scans and functions and all types. "
        "They are the same on every machine, with any instruction set and number of threads; "
        f"{SITE}howto/reproduce.html has those of this release.",
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> Exit:
    """Prints the digests."""
    found = digests()
    if arguments.json:
        print_json({"version": __version__, "digests": dict(found)})
    else:
        print("\n".join(f"{name:<16} {digest}" for name, digest in found.items()))
    return Exit.FINE
