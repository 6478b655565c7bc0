"""The example layers of the specification pages ReduceSum-1, ReduceL2-4, ReduceMin-1 and CumSum-3, as rows."""

from __future__ import annotations

from dataclasses import dataclass

SHAPE = (6, 12, 10, 24)


@dataclass(frozen=True)
class Reduced:
    """One example layer of a reduction's page."""

    suffix: str
    axes: tuple[int, ...]
    keep: bool
    meaning: str

    @property
    def shape(self) -> tuple[int, ...]:
        axes = {axis % len(SHAPE) for axis in self.axes}
        sizes = [1 if i in axes else size for i, size in enumerate(SHAPE) if self.keep or i not in axes]
        return tuple(sizes)


@dataclass(frozen=True)
class Scanned:
    """One example layer of the CumSum page, with the result that the page gives for 1, 2, 3, 4, 5."""

    suffix: str
    exclusive: bool
    reverse: bool
    result: tuple[float, ...]


PAGES = {"ReduceSum": ("reduce_sum", 1), "ReduceL2": ("reduce_l2", 4), "ReduceMin": ("reduce_min", 1)}

REDUCED = (
    Reduced("axes_2_3_keep", (2, 3), True, "independent reduction in each channel and batch"),
    Reduced("axes_2_3", (2, 3), False, "independent reduction in each channel and batch"),
    Reduced("axes_1", (1,), False, "independent reduction in each channel and spatial dimensions"),
    Reduced("axes_minus_2", (-2,), False, "independent reduction in each channel, batch and second spatial dimension"),
)

SCANNED = (
    Scanned("", False, False, (1, 3, 6, 10, 15)),
    Scanned("_exclusive", True, False, (0, 1, 3, 6, 10)),
    Scanned("_reverse", False, True, (15, 14, 12, 9, 5)),
    Scanned("_exclusive_reverse", True, True, (14, 12, 9, 5, 0)),
)
