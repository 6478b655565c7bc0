"""`samesum stats --model MODEL --data DIR`: what the activations of a model are like over many samples."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any

from samesum.cli.arguments import goes_with, steps
from samesum.cli.show import Exit, UsageError, print_json, print_table, printable
from samesum.cli.stats_text import note, plain
from samesum.stats.activation import PERCENTILES, Activation, Activations, check_channel, write_ranges
from samesum.stats.figures import figures

_SHOWN = ("count", "nan", "inf", "min", "max", "mean", "std")


def measure_model(arguments: argparse.Namespace) -> Exit:
    """Runs the model on each sample and prints what was asked for."""
    goes_with(arguments, "--model", "data", "per_channel", "ranges", "percentile", "json")
    samples = sorted(arguments.data.glob("*.npz")) if arguments.data is not None else []
    if not samples:
        raise UsageError(f"--data is {arguments.data}; needed is a folder with a .npz file for each sample")
    percentile = arguments.percentile
    if percentile is not None and not 0 < percentile <= 100:
        raise UsageError(f"--percentile is {percentile:g}; allowed are numbers above 0, 100 at most")
    found: dict[str, Activation] = {}
    model = Activations(arguments.model)
    with steps(len(samples)) as step:
        for sample in samples:
            with step(sample.name):
                for name, array in model.of(sample):
                    found.setdefault(name, Activation(name, arguments.per_channel)).add(array)
                check_channel(arguments.per_channel, found.values())
    if not found:
        raise UsageError(f"{arguments.model} has no activation of floats: nothing was measured")
    if arguments.ranges:
        count = write_ranges(arguments.ranges, found.values(), percentile)
        note(f"wrote {arguments.ranges}: ranges of {count} activations")
    if arguments.json:
        print_json({"samples": len(samples), "activations": [_entry(each) for each in found.values()]})
    else:
        _print(list(found.values()))
    return Exit.FINE


def _entry(activation: Activation) -> dict[str, Any]:
    state = activation.exact()
    sizes = [abs(value) for value in (state.least, state.greatest) if value is not None]
    channels = None
    if activation.low is not None and activation.high is not None:
        low, high = (
            [plain(value) for value in each.astype(float).tolist()] for each in (activation.low, activation.high)
        )
        channels = {"min": low, "max": high}
    return {
        "name": activation.name,
        "dtype": activation.dtype,
        **{name: plain(value) for name, value in figures(state, False).items()},
        "max_abs": plain(max(sizes, default=math.nan)) if sizes else None,
        "percentiles": {f"{percent:g}": plain(activation.percentile(percent)) for percent in PERCENTILES},
        "entropy": plain(activation.entropy()),
        "channels": channels,
        "histogram": {
            "edges": [plain(edge) for edge in activation.histogram.edges()],
            "counts": activation.histogram.counts.tolist(),
        },
    }


def _print(found: Sequence[Activation]) -> None:
    rows = []
    for each in found:
        shown = figures(each.exact(), False)
        texts = (f"{value:.6g}" if isinstance(value, float) else str(value) for value in (shown[key] for key in _SHOWN))
        outer = (each.percentile(percent) for percent in (0.01, 99.99))
        rows.append((printable(each.name), *texts, *(f"{value:.6g}" if value is not None else "-" for value in outer)))
    print_table(("activation", *_SHOWN, "0.01 %", "99.99 %"), rows, (0,))
