"""Sums of products over some axes of two arrays, each exact until it is rounded once: one call into the compiled core.

The axes of an array have labels, as in Einstein's notation; nothing is copied to bring them in order.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from samesum import _core
from samesum.algebra.rows import MAX
from samesum.engine.memory import reduce
from samesum.errors import AxisError, ShapeError
from samesum.formats.arrays import Dtype, NDArray, Out, native
from samesum.formats.axes import all_from_front
from samesum.formats.limits import checked

Labels = Sequence[Hashable]


@dataclass(frozen=True, slots=True)
class Added:
    """What is formed of the sums before they are rounded: alpha times the sum, and beta times `term`."""

    term: NDArray | None = None
    """It broadcasts to the result, from the back, in the type of the operands (of integers: in that of the result)."""
    alpha: float = 1.0
    beta: float = 1.0


NOTHING = Added()


def contract(
    a: NDArray,
    a_labels: Labels,
    b: NDArray,
    b_labels: Labels,
    labels: Labels,
    dtype: Dtype,
    added: Added = NOTHING,
    out: NDArray | None = None,
) -> NDArray:
    """The products of elements of `a` and `b` with equal indices, added up over all labels that `labels` lack.

    The result has an axis for each of `labels`. Axes with one label have one length, or 1 where they broadcast. `a` and
    `b` have one float type, and the result any; or any types of integers, and the result is modulo 2^k. It goes to
    `out`, which has its shape and type and shares no memory with what is read, or to a new array. A NaN, an infinity
    times zero and both infinities give NaN, an exact zero is +0.
    """
    sizes: dict[Hashable, int] = {}
    for label, size in (*zip(a_labels, a.shape, strict=True), *zip(b_labels, b.shape, strict=True)):
        sizes[label] = size if sizes.get(label, 1) == 1 else sizes[label]
    shape = checked([sizes[label] for label in labels])
    of_a, of_b = (_spanned(*each, sizes) for each in ((a, a_labels), (b, b_labels)))
    batch = [label for label in labels if (label in of_a) == (label in of_b)]
    rows = [label for label in labels if label in of_a and label not in of_b]
    columns = [label for label in labels if label in of_b and label not in of_a]
    terms = [label for label in sizes if label not in labels]
    result = np.empty(shape, dtype) if out is None else out
    if result.size:
        _core.contract(
            _arranged(native(a), a_labels, [*batch, *rows, *terms], sizes),
            _arranged(native(b), b_labels, [*batch, *columns, *terms], sizes),
            _term(added, labels, [*batch, *rows, *columns], sizes),
            _arranged(result, labels, [*batch, *rows, *columns], sizes),
            len(batch), len(rows), len(columns), len(terms), added.alpha, added.beta,
        )  # fmt: skip
    return result


def _spanned(x: NDArray, x_labels: Labels, sizes: dict[Hashable, int]) -> set[Hashable]:
    """The labels along which `x` does not repeat itself."""
    return {label for label, size in zip(x_labels, x.shape, strict=True) if size == sizes[label]}


def _arranged(x: NDArray, x_labels: Labels, wanted: Labels, sizes: dict[Hashable, int]) -> NDArray:
    """`x` with the axes `wanted` in this order; what it lacks is repeated, and of what is not wanted it has one."""
    kept = [label for label in x_labels if label in wanted]
    x = x[(*[slice(None) if label in wanted else 0 for label in x_labels], ...)]
    x = x.transpose([kept.index(label) for label in wanted if label in kept])
    x = x[(*[slice(None) if label in kept else None for label in wanted], ...)]
    shape = tuple(sizes[label] for label in wanted)
    return x if x.shape == shape else np.broadcast_to(x, shape)


def _term(added: Added, labels: Labels, wanted: Labels, sizes: dict[Hashable, int]) -> NDArray | None:
    if added.term is None:
        return None
    term = native(added.term)
    return _arranged(term, labels[len(labels) - term.ndim :], wanted, sizes)


def matmul(a: NDArray, b: NDArray, dtype: Dtype, added: Added = NOTHING, out: Out | None = None) -> NDArray:
    """The products of the matrices in the last two axes, as NumPy has them: one axis is a row and a column vector.

    `out` receives the result, as everywhere. Raises ShapeError for shapes that do not fit and for scalars.
    """
    shapes = f"shapes {a.shape} and {b.shape}"
    if not a.ndim or not b.ndim:
        raise ShapeError(f"{shapes}: a product of matrices needs one axis at least of each")
    of_a, of_b = (["term"] if each.ndim == 1 else [] for each in (a, b))
    of_a = of_a or [*range(2 - a.ndim, 0), "row", "term"]
    of_b = of_b or [*range(2 - b.ndim, 0), "term", "column"]
    length, other = a.shape[-1], b.shape[of_b.index("term")]
    if length != other:
        raise ShapeError(f"{shapes}: the rows of the first have {length} elements, the columns of the second {other}")
    try:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise ShapeError(f"{shapes}: the axes before the last two do not broadcast together") from None
    matrix = [label for label in ("row", "column") if label in of_a or label in of_b]
    shape = (*batch, *a.shape[-2:-1], *(b.shape[-1:] if b.ndim > 1 else ()))
    direct = out if _takes(out, shape, dtype, (a, b)) else None
    result = contract(a, of_a, b, of_b, [*range(-len(batch), 0), *matrix], dtype, added, direct)
    if out is None or direct is not None:
        return result
    return reduce(MAX, result, (), out=out)  # each element itself; the core checks `out`


def _takes(out: Out | None, shape: tuple[int, ...], dtype: Dtype, read: Sequence[NDArray]) -> TypeGuard[NDArray]:
    """True for an array to which results can be written at once, while the operands are read."""
    return (
        isinstance(out, np.ndarray)
        and (out.shape, out.dtype) == (shape, dtype)
        and out.flags.carray
        and not any(np.may_share_memory(out, each) for each in read)
    )


def tensordot(a: NDArray, b: NDArray, axes: tuple[object, object], dtype: Dtype) -> NDArray:
    """The sums over pairs of axes, the first of `axes` of `a` and the second of `b`; the others stay in their order.

    Raises AxisError for axes that are not there, that repeat or that are not in pairs, ShapeError for other lengths.
    """
    first, second = all_from_front(axes[0], a.ndim), all_from_front(axes[1], b.ndim)
    if len(first) != len(second):
        raise AxisError(f"axes are {axes!r}, {len(first)} of the first array and {len(second)} of the second")
    for i, j in zip(first, second, strict=True):
        if a.shape[i] != b.shape[j]:
            raise ShapeError(
                f"axis {i} of shape {a.shape} and axis {j} of shape {b.shape} have different lengths; "
                "they are added up in pairs"
            )
    of_a: list[Hashable] = [("a", i) for i in range(a.ndim)]
    of_b: list[Hashable] = [of_a[first[second.index(j)]] if j in second else ("b", j) for j in range(b.ndim)]
    summed = {of_a[i] for i in first}
    return contract(a, of_a, b, of_b, [label for label in (*of_a, *of_b) if label not in summed], dtype)
