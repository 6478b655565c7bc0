"""Functions on arrays, attention: PyTorch's name and meaning, on the engine."""

from __future__ import annotations

import numpy as np

from samesum.engine.arrays import as_array
from samesum.engine.attention import attention
from samesum.engine.machine import FloatingPointScope
from samesum.errors import ArgumentError
from samesum.formats.arrays import ArrayLike, NDArray
from samesum.formats.integers import boolean_of
from samesum.frontends.arrays.numbers import real_number


def scaled_dot_product_attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    attn_mask: ArrayLike | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> NDArray:
    """`softmax(q k^T * scale + attn_mask) v`: the whole formula over the given numbers, rounded once.

    `q` is (..., L, D) and `k` (..., S, D) of its dtype, `v` (..., S, E) of any of those below; batches broadcast, and
    the result is (..., L, E) in the dtype of `q`. A mask of booleans, (..., L, S), keeps the keys that are true; one
    of floats is added to the scores. With `is_causal` query i sees the keys 0 to i. `scale` is the real 1 / sqrt(D)
    unless it is given. Nothing overflows or underflows on the way. A key that is left out, by False or -inf, has no
    influence, whatever it and its value hold; a query that sees no key has zeros; NaN or +inf among its scores makes a
    query's results NaN.
    The same bits for any batch, other queries, heads and masked keys, order of the keys, number of threads and machine.
    float64 is computed in decimal numbers, as an oracle: some milliseconds for each query.

    Raises DtypeError for dtypes other than float16, bfloat16, float32 and float64, ShapeError for shapes that do not
    fit, ArgumentError for a mask beside `is_causal` and a scale that is not finite, ArgumentTypeError for an
    `is_causal` that is no boolean.
    Source: PyTorch, `torch.nn.functional.scaled_dot_product_attention`.

    >>> import numpy as np
    >>> k = np.float32([[1e20, 0], [0, 1e20], [1e20, 0]])
    >>> scaled_dot_product_attention(np.float32([[1e20, 0]]), k, np.float32([[1, 2], [5, 6], [2, 4]]))
    array([[1.5, 3. ]], dtype=float32)
    """
    is_causal = boolean_of("is_causal", is_causal)
    if is_causal and attn_mask is not None:
        raise ArgumentError("attn_mask and is_causal are given; one of them at most is allowed")
    number = None if scale is None else real_number("scale", scale)
    query, key, value = as_array(q), as_array(k), as_array(v)
    mask = None if attn_mask is None else as_array(attn_mask)
    ends = np.arange(1, query.shape[-2] + 1) if is_causal and query.ndim > 1 else None
    with FloatingPointScope():
        return attention(query, key, value, mask, ends, number)[0]
