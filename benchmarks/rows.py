"""One measured cell as a row: what was asked, the times, the ratios and the accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from accuracy import Distance, Verdict
from cells import Cell
from measure import Readings, ratios
from peers.catalogue import SAMESUM


@dataclass(frozen=True, slots=True)
class Figure:
    """One competitor in one cell. `gbs` counts each byte of input (for scans of output too) once."""

    seconds: tuple[float, ...]
    median_seconds: float
    gbs: float
    distance: Distance | None


@dataclass(frozen=True, slots=True)
class Row:
    """`of_bandwidth` and `to_best_peer` are medians of the ratios within each repetition; above 1 samesum is faster.

    Small cells have no bandwidth. `of_bandwidth` counts the bytes of every cache line touched.
    """

    operator: str
    dtype: str
    cell: Cell
    bytes: int
    bandwidth_gbs: float | None
    figures: dict[str, Figure]
    of_bandwidth: float | None
    best_peer: str | None
    to_best_peer: float | None
    verdict: Verdict | None
    tiers: dict[str, int]


@dataclass(frozen=True, slots=True)
class Traffic:
    """The bytes of one call: those that count as data, those of the cache lines touched, those of a memory pass."""

    data: int
    touched: int
    memory_pass: int


def make_row(
    operator: str,
    dtype: str,
    cell: Cell,
    traffic: Traffic,
    readings: Readings,
    distances: Mapping[str, Distance | None],
    verdict: Verdict | None,
    tiers: Mapping[str, int],
) -> Row:
    """The row of a cell from its readings."""
    figures = {
        name: Figure(seconds, median(seconds), traffic.data / median(seconds) / 1e9, distances[name])
        for name, seconds in readings.calls.items()
    }
    own = readings.calls[SAMESUM]
    peers = [name for name in figures if name != SAMESUM]
    best = min(peers, key=lambda name: figures[name].median_seconds, default=None)
    share = _share(traffic, readings.memory, own)
    return Row(
        operator,
        dtype,
        cell,
        traffic.data,
        traffic.memory_pass / median(readings.memory) / 1e9 if readings.memory else None,
        figures,
        share,
        best,
        None if best is None else ratios(readings.calls[best], own),
        verdict,
        dict(tiers),
    )


def _share(traffic: Traffic, passes: Sequence[float], own: Sequence[float]) -> float | None:
    """How much of the bandwidth of its own repetition samesum used."""
    return ratios(passes, own) * traffic.touched / traffic.memory_pass if passes else None
