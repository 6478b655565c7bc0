"""How the windowed pools of both standards run. A row holds up to the next one of its operator."""

from __future__ import annotations

from samesum.operators import pools
from samesum.operators.rows import row, several

ONNX_POOL_ROWS = (
    row("AveragePool", pools.average_pool, pools.pooled_shape),
    row("MaxPool", pools.max_pool_value, pools.pooled_shape),
    several("MaxPool", pools.max_pool, pools.max_pool_shapes, 8, most=2),
    row("LpPool", pools.lp_pool, pools.pooled_shape),
)

OPENVINO_POOL_ROWS = (
    row("AvgPool", pools.average_pool, pools.pooled_shape),
    row("MaxPool", pools.max_pool_value, pools.pooled_shape),
    several("MaxPool", pools.max_pool, pools.max_pool_shapes, 8, most=2),
    row("AdaptiveAvgPool", pools.adaptive_average_pool, pools.adaptive_shape),
    several("AdaptiveMaxPool", pools.adaptive_max_pool, pools.adaptive_max_pool_shapes, most=2),
)
