"""How the operators of both standards around the family run. A row holds up to the next one of its operator."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from samesum.algebra.rows import MAX, MEAN, MIN, SUM
from samesum.engine import elementwise
from samesum.engine.elementwise import Arithmetic
from samesum.errors import ModelError, ShapeError
from samesum.formats.arrays import NDArray, checked
from samesum.formats.axes import all_from_front, from_front
from samesum.formats.conversion import convert
from samesum.operators import facts, norms, pointwise, slicing
from samesum.operators.pointwise import binary, broadcast_shape, given, integers, optional, unary, variadic
from samesum.operators.rows import Attributes, Inputs, Make, Row, made, row, several

# The operators that rearrange, name or repeat elements and compute none.


def reshape(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The same elements in another shape; -1 is inferred, 0 copies a dim unless `allowzero` (or no `special_zero`)."""
    data = given(inputs, 0)
    shape = attributes.get("shape")
    target = list(integers(given(inputs, 1)) if shape is None else shape)
    return data.reshape(_resolved(data.shape, target, _zero_copies(attributes)))


def _zero_copies(attributes: Attributes) -> bool:
    return bool(attributes["special_zero"]) if "special_zero" in attributes else not attributes.get("allowzero")


def _resolved(shape: tuple[int, ...], said: list[int], zero_copies: bool) -> tuple[int, ...]:
    target = said
    if zero_copies and 0 in said:
        if any(dim == 0 and i >= len(shape) for i, dim in enumerate(said)):
            raise _refused(shape, said, "a 0 copies a dim that the input does not have")
        target = [shape[i] if dim == 0 else dim for i, dim in enumerate(said)]
    if min(target, default=0) < 0:
        if target.count(-1) > 1 or min(target) < -1:
            raise _refused(shape, said, "allowed are sizes, 0 and one -1")
        size, known = math.prod(shape), -math.prod(target)
        if known == 0 or size % known:
            raise _refused(shape, said, f"-1 cannot be inferred from {size} elements")
        target = [size // known if dim == -1 else dim for dim in target]
    elif math.prod(target) != math.prod(shape):
        raise _refused(shape, said, f"{math.prod(shape)} elements do not become {math.prod(target)}")
    return checked(target)


def _refused(shape: tuple[int, ...], target: list[int], why: str) -> ShapeError:
    return ShapeError(f"shape {list(shape)} to {target}: {why}")


Axes = tuple[tuple[int, ...] | None, bool]
"""Those that are named, None for all of them; and whether such as have not size one stay."""


def axes_of(attributes: Attributes, inputs: Inputs) -> Axes:
    """The axes that the second input or an attribute names."""
    where = optional(inputs, 1)
    axes = attributes.get("axes") if where is None else integers(where)
    return axes, bool(attributes.get("allow_axis_skip"))


def axes_of_ir(attributes: Attributes, inputs: Inputs) -> Axes:
    """Those of Squeeze in OpenVINO, where empty axes stand for all dims of size one."""
    axes, may_skip = axes_of(attributes, inputs)
    return axes or None, may_skip


def squeeze(of: Axes, inputs: Inputs) -> NDArray:
    """The given dims of size one dropped, or all of them."""
    data, (axes, may_skip) = given(inputs, 0), of
    if axes is None:
        return data.reshape([dim for dim in data.shape if dim != 1])
    places = all_from_front(axes, data.ndim)
    if may_skip:
        places = tuple(axis for axis in places if data.shape[axis] == 1)
    if any(data.shape[axis] != 1 for axis in places):
        raise ShapeError(f"axes {list(axes)} of shape {data.shape}: only dims of size 1 can be dropped")
    return data.reshape([dim for i, dim in enumerate(data.shape) if i not in places])


def unsqueeze(of: Axes, inputs: Inputs) -> NDArray:
    """Dims of size one put in; the axes count in the result."""
    data, axes = given(inputs, 0), of[0] or ()
    dims = list(data.shape)
    for place in sorted(all_from_front(axes, data.ndim + len(axes))):
        dims.insert(place, 1)
    return data.reshape(checked(dims))


def transpose(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The dims in another order: reversed, or as `perm` says."""
    data = given(inputs, 0)
    order = attributes["perm"]
    return data.T if order is None else _permuted(data, order)


def transpose_ir(_: Attributes, inputs: Inputs) -> NDArray:
    """The dims in another order: reversed if `order` is empty."""
    data = given(inputs, 0)
    order = integers(given(inputs, 1))
    return _permuted(data, order) if order else data.T


def _permuted(data: NDArray, order: tuple[int, ...]) -> NDArray:
    if len(order) != data.ndim:
        raise ShapeError(f"order {list(order)} does not fit rank {data.ndim}")
    return data.transpose(all_from_front(order, data.ndim))


def shape_of(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The dims, which `start` and `end` slice, as `output_type`, int64 where there is none."""
    dims = given(inputs, 0).shape[attributes.get("start", 0) : attributes.get("end")]
    return np.array(dims, attributes.get("output_type", np.int64))


def concat(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The inputs one after the other along `axis`."""
    arrays = [given(inputs, i) for i in range(len(inputs))]
    if arrays[0].ndim == 0:
        raise ShapeError("scalars cannot be concatenated; a rank of 1 or more is needed")
    axis = from_front(attributes["axis"], arrays[0].ndim)
    rests = {array.shape[:axis] + array.shape[axis + 1 :] for array in arrays if array.ndim > axis}
    if len(rests) > 1 or any(array.ndim != arrays[0].ndim for array in arrays):
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ShapeError(f"the shapes {shapes} differ outside axis {axis}")
    return np.concatenate(arrays, axis)


def expand(_: Attributes, inputs: Inputs) -> NDArray:
    """The input repeated (without a copy) to the shape that it and `shape` broadcast to."""
    data = given(inputs, 0)
    return _repeated(data, _both(data, checked(integers(given(inputs, 1)))))


def _both(data: NDArray, target: tuple[int, ...]) -> tuple[int, ...]:
    return broadcast_shape(data, np.broadcast_to(np.int8(0), target))


def _repeated(data: NDArray, shape: tuple[int, ...]) -> NDArray:
    try:
        return np.broadcast_to(data, checked(shape))
    except ValueError:
        raise ShapeError(f"shape {data.shape} does not broadcast to {shape}") from None


def broadcast_ir(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The input repeated to `target_shape`: as NumPy does, both ways, or with its dims at `axes_mapping`."""
    data = given(inputs, 0)
    target = checked(integers(given(inputs, 1)))
    if attributes["mode"] == "bidirectional":
        return _repeated(data, _both(data, target))
    if attributes["mode"] == "numpy":
        return _repeated(data, target)
    mapping = optional(inputs, 2)
    if mapping is None:
        raise ModelError("mode is explicit and axes_mapping is missing")
    places = integers(mapping)
    if len(places) != data.ndim or list(places) != sorted(set(places)) or any(not 0 <= p < len(target) for p in places):
        raise ShapeError(f"axes_mapping {list(places)} does not place shape {data.shape} in {list(target)}")
    dims = dict(zip(places, data.shape, strict=True))
    return _repeated(data.reshape([dims.get(i, 1) for i in range(len(target))]), target)


def arange(attributes: Attributes, inputs: Inputs) -> NDArray:
    """start, start + step, ... up to but without stop; in `output_type` if there is one."""
    ends = [given(inputs, i) for i in range(3)]
    if any(end.size != 1 or end.ndim > 1 for end in ends):
        raise ShapeError(
            f"start, stop and step have shapes {', '.join(str(end.shape) for end in ends)}; scalars needed"
        )
    if not np.any(ends[2]):
        raise ShapeError("step is 0")
    numbers = _integers(ends) if all(end.dtype.kind in "iu" for end in ends) else _reals(ends)
    return convert(numbers, attributes.get("output_type") or ends[0].dtype)


def _integers(ends: list[NDArray]) -> NDArray:
    start, stop, step = (int(end.item()) for end in ends)
    length = max(0, -((start - stop) // step))
    counts = np.arange(checked([length])[0], dtype=np.uint64)
    return (counts * np.uint64(step % 2**64) + np.uint64(start % 2**64)).view(np.int64)


def _reals(ends: list[NDArray]) -> NDArray:
    start, stop, step = (float(end.item()) for end in ends)
    steps = (stop - start) / step
    if not math.isfinite(steps):
        raise ShapeError(f"start {start}, stop {stop} and step {step} do not give a finite number of steps")
    return start + step * np.arange(checked([max(0, math.ceil(steps))])[0], dtype=np.float64)


def _cutting(
    name: str, make: Make, made_of: tuple[int, ...], run: Callable[[Any, Inputs], NDArray], since: int = 1
) -> Row:
    tried = facts.tried(lambda attributes, inputs: run(make(attributes, inputs), inputs))
    return made(name, make, made_of, run, tried, since)


def _squared_difference(a: NDArray, b: NDArray) -> object:
    return np.square(np.subtract(a, b))


_OF_BOTH = (
    unary("Sqrt", np.sqrt),
    unary("Exp", elementwise.exponential),
    unary("Log", elementwise.logarithm),
    unary("Abs", np.abs),
    pointwise.arithmetic("Add", Arithmetic.ADD, np.add),
    row("Identity", pointwise.identity, facts.same),
    row("Reshape", reshape, facts.reshape(reshape)),
    _cutting("Unsqueeze", axes_of, (1,), unsqueeze),
    row("Range", arange, facts.arange),
    row("Concat", concat, facts.concat),
)

OPENVINO_ROWS = (
    *_OF_BOTH,
    unary("Negative", np.negative),
    unary("ReLU", pointwise.relu, parts=pointwise.relu_parts),
    pointwise.arithmetic("Subtract", Arithmetic.SUBTRACT, np.subtract),
    pointwise.arithmetic("Multiply", Arithmetic.MULTIPLY, np.multiply),
    pointwise.arithmetic("Divide", Arithmetic.DIVIDE, pointwise.quotient_of),
    binary("Power", pointwise.power),
    binary("Maximum", np.maximum),
    binary("Minimum", np.minimum),
    binary("SquaredDifference", _squared_difference),
    replace(row("Clamp", pointwise.clip_attributes, facts.same), parts=pointwise.attribute_parts),
    row("Convert", pointwise.convert_ir, facts.to_attribute("destination_type")),
    row("ConvertLike", pointwise.cast_like, facts.cast_like),
    _cutting("Squeeze", axes_of_ir, (1,), squeeze),
    facts.viewing("Transpose", transpose_ir),
    facts.viewing("Broadcast", broadcast_ir),
    row("ShapeOf", shape_of, facts.shape_of),
    _cutting("Slice", slicing.cuts_of_ir, (1, 2, 3, 4), slicing.sliced),
    facts.viewing("StridedSlice", slicing.strided_slice),
    row("Gather", slicing.gather_ir, facts.gather),
    row("MVN", norms.mvn_across, facts.same, 2),
    row("MVN", norms.mvn_axes, facts.same, 6),
    row("NormalizeL2", norms.normalize_l2, facts.same),
    row("GroupNormalization", norms.group_norm("channel"), facts.same, 12),
)

ONNX_ROWS = (
    *_OF_BOTH,
    unary("Neg", np.negative),
    unary("Relu", pointwise.relu, parts=pointwise.relu_parts),
    pointwise.arithmetic("Sub", Arithmetic.SUBTRACT, np.subtract),
    pointwise.arithmetic("Mul", Arithmetic.MULTIPLY, np.multiply),
    pointwise.arithmetic("Div", Arithmetic.DIVIDE, pointwise.quotient_of),
    binary("Pow", pointwise.power),
    variadic("Max", MAX),
    variadic("Min", MIN),
    variadic("Sum", SUM),
    variadic("Mean", MEAN),
    replace(row("Clip", pointwise.clip_attributes, facts.same), parts=pointwise.attribute_parts),
    replace(
        made("Clip", pointwise.bounds_of_inputs, (1, 2), pointwise.clip_inputs, facts.same, 11),
        parts=pointwise.input_parts,
    ),
    row("Cast", pointwise.cast, facts.to_attribute("to")),
    row("CastLike", pointwise.cast_like, facts.cast_like),
    _cutting("Squeeze", axes_of, (1,), squeeze),
    facts.viewing("Transpose", transpose),
    facts.viewing("Expand", expand),
    row("Shape", shape_of, facts.shape_of),
    _cutting("Slice", slicing.cuts_of_attributes, (), slicing.sliced),
    _cutting("Slice", slicing.cuts_of_inputs, (1, 2, 3, 4), slicing.sliced, 10),
    row("Gather", slicing.gather, facts.gather),
    several("LayerNormalization", norms.layer_norm_outputs, facts.layer_norm_outputs, most=3),
    row("RMSNormalization", norms.rms_norm, facts.in_type_of_second),
    row("GroupNormalization", norms.group_norm("group"), facts.same),
    row("GroupNormalization", norms.group_norm("channel"), facts.same, 21),
    row("InstanceNormalization", norms.instance_norm, facts.same),
    row("MeanVarianceNormalization", norms.mean_variance_norm, facts.same),
    row("LpNormalization", norms.lp_norm, facts.same),
    row("GlobalAveragePool", norms.GLOBAL_AVERAGE, facts.pooled),
    row("GlobalMaxPool", norms.GLOBAL_MAXIMUM, facts.pooled),
    row("GlobalLpPool", norms.global_lp_pool, facts.pooled),
)
