"""OpenVINO's API for arrays, normalizations about a mean or by a norm: named and called as the standard does."""

from __future__ import annotations

from samesum.engine.arrays import as_array, as_integers
from samesum.errors import AttributeValueError
from samesum.formats.arrays import ArrayLike, NDArray
from samesum.formats.axes import Axes
from samesum.operators.apply import apply
from samesum.specs.call import operation_of


def MVN(
    data: ArrayLike,
    axes: Axes = None,
    *,
    normalize_variance: bool = True,
    eps: float = 1e-9,
    eps_mode: str = "inside_sqrt",
    across_channels: bool = False,
    opset: int | None = None,
) -> NDArray:
    """`(data - mean)` over the deviation, rounded once; without `normalize_variance` the difference alone.

    From opset 6 on over `axes`, with `eps` under the root or, in the mode "outside_sqrt", beside it. Before (MVN-1)
    `axes` and `eps_mode` are left out: over all axes after the channels, with `across_channels` over them too, with
    `eps` under the root. `eps` is its float32 value. Nothing cancels, overflows or underflows on the way; a
    line of equal elements gives zeros, one NaN or infinity makes its whole line NaN.

    Raises DtypeError for data that are not floats, AxisError for axes out of range or repeated, AttributeValueError
    for axes left out and for a mode that is not allowed.
    Source: OpenVINO operation specification, MVN-1 and MVN-6.

    >>> import numpy as np
    >>> MVN(np.float32([[1000, 1002], [5, 5]]), [1])
    array([[-1.,  1.],
           [ 0.,  0.]], dtype=float32)
    """
    if isinstance(opset, int) and 0 < opset < 6:
        if axes is not None or not isinstance(eps_mode, str) or eps_mode != "inside_sqrt":
            raise AttributeValueError(
                f"openvino.MVN-1: axes are {axes!r} and eps_mode is {eps_mode!r}; opsets before 6 have neither"
            )
        old = operation_of(
            "openvino", "MVN", opset, across_channels=across_channels, normalize_variance=normalize_variance, eps=eps
        )
        return apply(old, [as_array(data)])
    if across_channels is not False:
        raise AttributeValueError(f"openvino.MVN-6: across_channels is {across_channels!r}; opsets from 6 on have axes")
    operation = operation_of(
        "openvino", "MVN", opset, normalize_variance=normalize_variance, eps=eps, eps_mode=eps_mode
    )
    return apply(operation, [as_array(data), None if axes is None else as_integers(axes)])


def NormalizeL2(data: ArrayLike, axes: Axes, *, eps: float, eps_mode: str = "add", opset: int | None = None) -> NDArray:
    """`data / sqrt(sum of squares + eps)` over `axes`, rounded once; in the mode "max", over the root of the greater.

    `eps` is its float32 value; with 0 a line of zeros stays so. Types and errors are those of `MVN`.
    Source: OpenVINO operation specification, NormalizeL2-1.

    >>> import numpy as np
    >>> NormalizeL2(np.float32([[3, 4], [0, 0]]) * np.float32(2.0**100), [1], eps=0)
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    operation = operation_of("openvino", "NormalizeL2", opset, eps=eps, eps_mode=eps_mode)
    return apply(operation, [as_array(data), as_integers(axes)])


def GroupNormalization(
    data: ArrayLike, scale: ArrayLike, bias: ArrayLike, *, num_groups: int, epsilon: float, opset: int | None = None
) -> NDArray:
    """`(data - mean) / sqrt(variance + epsilon) * scale + bias` for each group of channels (axis 1), rounded once.

    `scale` and `bias` have one number for each channel, `epsilon` is its float32 value. Types and errors are those of
    `MVN`; ShapeError for channels that the groups do not share evenly.
    Source: OpenVINO operation specification, GroupNormalization-12.

    >>> import numpy as np
    >>> GroupNormalization(np.float32([[1000, 1002, 5, 9]]), np.ones(4, "f"), np.zeros(4, "f"), num_groups=2, epsilon=0)
    array([[-1.,  1., -1.,  1.]], dtype=float32)
    """
    operation = operation_of("openvino", "GroupNormalization", opset, num_groups=num_groups, epsilon=epsilon)
    return apply(operation, [as_array(data), as_array(scale), as_array(bias)])
