"""The command `samesum`: reads the arguments, runs one verb, turns every error into one line and a status."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import NoReturn

from samesum import __version__
from samesum.cli.show import MEANINGS, Exit, InvalidFileError, UsageError, one_line, status_of
from samesum.errors import SamesumError

# Modules of this package, which add a verb each.
VERBS = ("run", "info", "compare", "explain", "stats", "conformance", "doctor")

EPILOG = "exit status:\n" + "\n".join(f"  {status.value}  {meaning}" for status, meaning in MEANINGS.items())


class Parser(argparse.ArgumentParser):
    """An ArgumentParser whose errors are a `UsageError`, so that all errors look alike."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


def build_parser(names: Sequence[str] = VERBS) -> Parser:
    """The parser of the command line with these verbs; each adds its own part."""
    parser = Parser(
        prog="samesum",
        description="ONNX and OpenVINO reductions, products and attention, correctly rounded.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version", action="version", version=f"samesum {__version__}", help="print the version and stop"
    )
    parser.set_defaults(call=None)
    verbs = parser.add_subparsers(metavar="VERB", title="verbs")
    for name in names:
        import_module(f"samesum.cli.{name}").add_to(verbs)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line `argv` (the process's own by default) and returns the exit status."""
    verb = tuple(sys.argv[1:] if argv is None else argv)[:1]
    # A verb that is named is imported alone: all of them take a third of a second.
    return run(lambda: build_parser(verb if verb and verb[0] in VERBS else VERBS), argv)


def run(make_parser: Callable[[], Parser], argv: Sequence[str] | None) -> int:
    """Parses `argv`, calls the parser's `call`, and returns the exit status; every error is one line."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = _called(make_parser(), argv)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes standard output once more at its end, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.PIPE_CLOSED
    except (UsageError, InvalidFileError, SamesumError, OSError, MemoryError) as error:
        print("samesum: error:", one_line(error), file=sys.stderr)
        return status_of(error)


def _called(parser: Parser, argv: Sequence[str] | None) -> int:
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    if arguments.call is None:
        parser.print_help()
        return Exit.FINE
    with _warnings_in_one_line():
        return int(arguments.call(arguments))


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    """What samesum warns of, such as a model file that contradicts itself, goes to standard error like an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_: print("samesum: warning:", one_line(message), file=sys.stderr)
        yield
