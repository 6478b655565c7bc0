"""Attention of one node for arrays: named and called as ONNX and OpenVINO do."""

# ruff: noqa: N803 - the inputs have the standard's names

from __future__ import annotations

from samesum.errors import AttributeValueError
from samesum.formats.arrays import ArrayLike, NDArray
from samesum.frontends.standards.attributes import arrays
from samesum.operators.apply import apply, apply_all
from samesum.specs.lookup import operation_of


def Attention(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    attn_mask: ArrayLike | None = None,
    past_key: ArrayLike | None = None,
    past_value: ArrayLike | None = None,
    nonpad_kv_seqlen: ArrayLike | None = None,
    *,
    is_causal: int = 0,
    kv_num_heads: int | None = None,
    left_window_size: int | None = None,
    q_num_heads: int | None = None,
    qk_matmul_output_mode: int = 0,
    right_window_size: int | None = None,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
    outputs: int = 1,
    opset: int | None = None,
) -> NDArray | tuple[NDArray, ...]:
    """Scaled dot product attention, the whole formula rounded once; `softmax_precision` changes nothing.

    `Q`, `K` and `V` are (batch, heads, length, size), or (batch, length, heads * size) with `q_num_heads` and
    `kv_num_heads`; `Q` and `K` have one type, `V` may have another. `scale` is the real 1 / sqrt(size) unless it is
    given, and its float32 value then. With `outputs` from 2 to 4 the result is a tuple: with `present_key`,
    `present_value` and `qk_matmul_output`, which is its own formula, rounded once, whatever the mode. A key that is
    left out has no influence, a query that sees none has zeros.
    `opset` chooses the version: `nonpad_kv_seqlen` came with 24, the windows with 25. Since 24 an `attn_mask` with a
    last axis shorter than the keys, of 1 too, leaves out the keys beyond it; in 23 it broadcasts.

    Raises DtypeError for types that the version does not allow, ShapeError for shapes that do not fit,
    AttributeValueError for values that are not allowed and for inputs and outputs that the version lacks.
    Source: https://onnx.ai/onnx/operators/onnx__Attention.html (23, 24, 25).

    >>> import numpy as np
    >>> x = np.float32([[[[1, 0], [0, 1]]]])
    >>> Attention(0 * x, x, np.float32([[[[1, 2], [4, 8]]]]), is_causal=1)
    array([[[[1. , 2. ],
             [2.5, 5. ]]]], dtype=float32)
    """
    if isinstance(outputs, bool) or not isinstance(outputs, int) or not 1 <= outputs <= 4:
        raise AttributeValueError(f"outputs is {outputs!r}; allowed are 1 to 4")
    optional = {
        "kv_num_heads": kv_num_heads,
        "left_window_size": left_window_size,
        "q_num_heads": q_num_heads,
        "right_window_size": right_window_size,
        "scale": scale,
        "softmax_precision": softmax_precision,
    }
    operation = operation_of(
        "onnx",
        "Attention",
        opset,
        is_causal=is_causal,
        qk_matmul_output_mode=qk_matmul_output_mode,
        softcap=softcap,
        **{name: value for name, value in optional.items() if value is not None},
    )
    inputs = _without_end([Q, K, V, attn_mask, past_key, past_value, nonpad_kv_seqlen])
    return apply(operation, inputs) if outputs == 1 else apply_all(operation, outputs, inputs)


def ScaledDotProductAttention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    attention_mask: ArrayLike | None = None,
    scale: ArrayLike | None = None,
    *,
    causal: bool = False,
    opset: int | None = None,
) -> NDArray:
    """`softmax(query key^T * scale + attention_mask) value`, the whole formula rounded once.

    Shapes are (..., L, E), (..., S, E) and (..., S, Ev); batches broadcast. `scale` has one element and is the real
    1 / sqrt(E) if it is left out. With `causal` query i sees the keys 0 to i, and the mask is ignored. A query that
    sees no key has zeros.

    Raises DtypeError for types that the version does not allow and ShapeError for shapes that do not fit.
    Source: OpenVINO operation specification, ScaledDotProductAttention-13.

    >>> import numpy as np
    >>> x = np.float32([[1, 0], [0, 1]])
    >>> ScaledDotProductAttention(0 * x, x, np.float32([[1, 2], [4, 8]]))
    array([[2.5, 5. ],
           [2.5, 5. ]], dtype=float32)
    """
    operation = operation_of("openvino", "ScaledDotProductAttention", opset, causal=causal)
    return apply(operation, _without_end([query, key, value, attention_mask, scale]))


def _without_end(inputs: list[ArrayLike | None]) -> list[NDArray | None]:
    """As arrays, without what is left out at the end."""
    while inputs[-1] is None:
        inputs = inputs[:-1]
    return arrays(*inputs)
