"""`matmul`, `tensordot`, `einsum`, `conv`: shapes as NumPy and PyTorch have them, types, `out`, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from contraction_oracle import contracted
from naming import looped
from oracle import assert_bits
from samesum.engine import contractions
from samesum.errors import ArgumentError, ArgumentTypeError, AxisError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray

SHAPES = [
    ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((5, 1, 2, 3), (7, 3, 4)),
    ((2, 0), (0, 3)), ((0, 3), (3, 2)), ((0,), (0,)), ((4, 2, 3), (1, 3, 4)), ((3,), (5, 3, 2)), ((6, 2, 3), (3,)),
    ((0, 2, 3), (1, 3, 4)), ((1, 1), (1, 1)),
]  # fmt: skip
EQUATIONS = [
    ("ij,jk", (2, 3), (3, 4)), ("ii", (3, 3)), ("ii->i", (3, 3)), ("ij->ji", (2, 3)), ("ba", (2, 3)),
    ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)), ("...ij,...jk->...ik", (5, 1, 2, 3), (4, 3, 2)), ("i,j->ij", (3,), (4,)),
    ("ij,kl->", (2, 3), (3, 2)), ("iij,ik->jk", (3, 3, 2), (3, 2)), ("i,i", (1,), (3,)), ("...,...", (2, 3), (3,)),
    ("ij...,jk...->ik...", (2, 3, 4), (3, 2, 4)), ("...ii->...i", (2, 3, 3)), (",ij", (), (2, 3)), ("->", ()),
    ("i...->...", (3, 2, 2)), (" i j , j -> i ", (2, 3), (3,)), ("aB,Bc->Ba", (2, 3), (3, 4)),
    ("ij,ij->ij", (2, 3), (2, 3)),
    ("i...,i...->i...", (2, 1, 3), (2, 4, 1)), ("ij,jk->ik", (2, 0), (0, 3)), ("ii,ii->", (3, 3), (3, 3)),
    ("ijij->ij", (2, 3, 2, 3)),
    ("ab,bc,cd->da", (2, 3), (3, 4), (4, 2)), ("a,b,c,d->dcba", (2,), (2,), (3,), (2,)),
    ("ab,ac,ad->a", (2, 3), (2, 4), (2, 5)),
]  # fmt: skip


def whole(*shape: int, seed: int = 0, dtype: Any = np.float32) -> NDArray:
    """Small whole numbers, whose sums of products NumPy has exactly."""
    return np.random.default_rng([seed, *shape]).integers(-9, 10, shape).astype(dtype)


def normal(*shape: int, seed: int = 0, dtype: Any = np.float32) -> NDArray:
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(dtype)


def assert_same(found: Any, expected: Any) -> None:
    assert np.shape(found) == np.shape(expected)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@looped("shapes", SHAPES)
def test_matmul_has_numpy_s_shapes(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    a, b = (whole(*shape, seed=i) for i, shape in enumerate(shapes))
    expected = np.matmul(a, b)
    assert_same(ss.matmul(a, b), expected)
    assert_same(ss.matmul(a.T.copy().T, b[..., ::-1].copy()[..., ::-1]), expected)
    out = np.full(expected.shape, 7, np.float32)
    assert ss.matmul(a, b, out=out) is out
    np.testing.assert_array_equal(out, expected)


@looped("case", EQUATIONS)
def test_einsum_is_numpy_s(case: tuple[Any, ...]) -> None:
    equation, *shapes = case
    operands = [whole(*shape, seed=i) for i, shape in enumerate(shapes)]
    assert_same(ss.einsum(equation, *operands), np.einsum(equation, *operands))


@looped("axes", [0, 1, ((3, 2), (0, 1)), ((-1,), (0,)), ((2,), (1,)), ([2, 3], [1, 0]), ((), ()), 2])
def test_tensordot_is_numpy_s(axes: Any) -> None:
    a, b = whole(2, 3, 4, 5), whole(5, 4, 6)
    if axes == 2:
        a = a.swapaxes(2, 3)
    assert_same(ss.tensordot(a, b, axes=axes), np.tensordot(a, b, axes))
    assert isinstance(ss.tensordot(b, b, axes=3), np.float32)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64], ids=lambda d: d.__name__)
def test_the_bits_are_those_of_the_exact_sum(dtype: Any) -> None:
    a, b = normal(7, 40, dtype=dtype), normal(5, 40, seed=1, dtype=dtype)
    a[3] = np.concatenate([a[3, :20], -a[3, :20]])
    b[2, 20:] = b[2, :20]
    a[5, 7], b[1, 3] = np.inf, np.nan
    expected = contracted(a, b)
    assert_bits(ss.matmul(a, b.T), expected, "matmul")
    assert_bits(ss.tensordot(a, b, axes=((1,), (1,))), expected, "tensordot")
    assert_bits(ss.einsum("mk,nk->mn", a, b), expected, "einsum")
    assert_bits(ss.matmul(a, b.T, dtype=np.float64), contracted(a, b, dtype=np.float64), "in float64")
    windows = np.lib.stride_tricks.sliding_window_view(a, 8, axis=1).reshape(-1, 8)
    found = ss.conv(a[:, None], b[:, None, :8])
    assert_bits(found, contracted(windows, b[:, :8]).reshape(7, 33, 5).swapaxes(1, 2), "conv")


def test_types_are_those_of_vecdot() -> None:
    for a, b in (("i1", "u1"), ("u4", "i4"), ("i2", "f4"), ("i8", "f4"), ("f2", "f4"), ("f4", "f8"), ("?", "i2")):
        x, y = np.ones((2, 3), a), np.ones((3, 2), b)
        expected = ss.vecdot(x[0], y[:, 0]).dtype
        assert ss.matmul(x, y).dtype == ss.einsum("ij,jk", x, y).dtype == ss.tensordot(x, y, axes=1).dtype == expected
        assert ss.conv(x[None], y.T[None, :, :2]).dtype == expected
    assert ss.matmul(np.full((2, 300), 100, np.int8), np.full((300, 2), 100, np.int8)).tolist() == [[-64] * 2] * 2
    wide = ss.matmul(np.full((2, 300), 100, np.int8), np.full((300, 2), 100, np.int8), dtype=np.int64)
    assert (wide.dtype, wide.tolist()) == (np.int64, [[3_000_000] * 2] * 2)
    swapped = normal(3, 4).astype(">f4")
    assert_bits(ss.matmul(swapped, normal(4, 2)), ss.matmul(normal(3, 4), normal(4, 2)), "byte order")
    assert ss.matmul([[1, 2]], [[3], [4]]).tolist() == [[11]]
    as_bytes = normal(3, 4).astype(ml_dtypes.float8_e5m2)
    assert_bits(ss.matmul(as_bytes, as_bytes.T, dtype="f4"), contracted(*[as_bytes.astype("f4")] * 2), "float8")


@pytest.mark.parametrize(
    ("a", "b", "dtype"),
    [
        ("?", "?", None), ("c8", "f4", None), ("f8", "f8", "i8"), ("i8", "i8", "f8"), ("f8", "U3", None),
        (ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2, None), ("f4", "f4", ml_dtypes.float8_e5m2),
    ],
)  # fmt: skip
def test_types_that_are_refused(a: Any, b: Any, dtype: Any) -> None:
    with pytest.raises(DtypeError, match=r"allowed are|no common dtype|it is an integer"):
        ss.matmul(np.zeros((2, 2), a), np.zeros((2, 2), b), dtype=dtype)


def test_out_may_be_what_is_read_or_have_any_strides() -> None:
    a, b = normal(6, 6), normal(6, 6, seed=1)
    expected = ss.matmul(a, b)
    for out in (a, b, np.zeros((6, 12), np.float32)[:, ::2], np.zeros((6, 6), np.float32).T):
        x, y = normal(6, 6), normal(6, 6, seed=1)
        target = {id(a): x, id(b): y}.get(id(out), out)
        assert ss.matmul(x, y, out=target) is target
        assert_bits(target, expected, "out")
    for wrong, error in (
        (np.zeros((6, 5), "f4"), ShapeError),
        (np.zeros((6, 6)), DtypeError),
        ([1], ArgumentTypeError),
    ):
        with pytest.raises(error, match="out"):
            ss.matmul(a, b, out=wrong)  # type: ignore[arg-type]


def test_tensors_of_pytorch_share_their_memory() -> None:
    torch = pytest.importorskip("torch")
    a, b = torch.randn(4, 8, dtype=torch.bfloat16), torch.randn(3, 8, dtype=torch.bfloat16)
    found = ss.matmul(a, b.T)
    assert (type(found), found.dtype, found.shape) == (np.ndarray, ml_dtypes.bfloat16, (4, 3))
    out = torch.empty(4, 3, dtype=torch.bfloat16)
    assert ss.matmul(a, b.T, out=out) is out
    assert_bits(out.view(torch.int16).numpy().view(ml_dtypes.bfloat16), found, "out")


def test_nothing_is_multiplied_before_every_size_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    long, pairs = whole(2**11), []
    monkeypatch.setattr(contractions, "contract", lambda *operands: pairs.append(operands))
    for equation in ("a,b,c,d->abcd", "a,b,c,d,c,d->ab"):
        with pytest.raises(ShapeError, match=r"more than 2\^40 elements"):
            ss.einsum(equation, *[long] * (equation.count(",") + 1))
    with pytest.raises(ShapeError, match="'a' has several lengths"):
        ss.einsum("a,b,a->ab", long, long, whole(3))
    assert not pairs


CALLS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: ss.matmul(whole(2, 3), whole(2, 3)), ShapeError, r"\(2, 3\) and \(2, 3\).*3 elements.* 2"),
    (lambda: ss.matmul(np.float32(1), whole(1)), ShapeError, "one axis at least"),
    (lambda: ss.matmul(whole(2, 2, 3), whole(3, 3, 4)), ShapeError, "do not broadcast"),
    (lambda: ss.matmul(whole(2, 1), whole(3, 3)), ShapeError, "have 1 elements"),
    (lambda: ss.tensordot(whole(2, 3), whole(2, 3)[:, :2]), ShapeError, "different lengths"),
    (lambda: ss.tensordot(whole(2, 3), whole(2, 3), axes=3), AxisError, "allowed are 0 to 2"),
    (lambda: ss.tensordot(whole(2, 3), whole(2, 3), axes=-1), AxisError, "allowed are 0 to 2"),
    (lambda: ss.tensordot(whole(2, 3), whole(2, 3), axes=((0, 1), (0,))), AxisError, "2 of the first"),
    (lambda: ss.tensordot(whole(2, 3), whole(2, 3), axes=((0, 0), (0, 1))), AxisError, "twice"),
    (lambda: ss.tensordot(whole(2, 3), whole(2, 3), axes=((2,), (0,))), AxisError, "out of range"),
    (lambda: ss.tensordot(whole(2, 3), whole(2, 3), axes=1.0), AxisError, "integer"),  # type: ignore[arg-type]
    (lambda: ss.einsum("ij,jk", whole(2, 3)), ArgumentError, "names 2 operands; 1 were given"),
    (lambda: ss.einsum("ij,jk->il", whole(2, 3), whole(3, 2)), ArgumentError, "at most once"),
    (lambda: ss.einsum("ij->ii", whole(2, 3)), ArgumentError, "at most once"),
    (lambda: ss.einsum("i.j", whole(2, 3)), ArgumentError, "'i.j'"),
    (lambda: ss.einsum("...i...", whole(2, 3)), ArgumentError, "one ellipsis"),
    (lambda: ss.einsum("i1", whole(2, 3)), ArgumentError, "letters"),
    (lambda: ss.einsum("...i->i", whole(2, 3)), ArgumentError, "none behind"),
    (lambda: ss.einsum("ijk", whole(2, 3)), ShapeError, "rank 2"),
    (lambda: ss.einsum("i", whole(2, 3)), ShapeError, "rank 2"),
    (lambda: ss.einsum("ii", whole(2, 3)), ShapeError, "several lengths"),
    (lambda: ss.einsum("ii", whole(1, 3)), ShapeError, "several lengths"),
    (lambda: ss.einsum("ij,jk", whole(2, 3), whole(2, 3)), ShapeError, "'j' has several lengths"),
    (lambda: ss.einsum("...,...", whole(2), whole(3)), ShapeError, "ellipsis has several lengths"),
    (lambda: ss.einsum("ij"), ArgumentTypeError, "operands follow"),
    (lambda: ss.einsum(whole(2, 3), [0, 1]), ArgumentTypeError, "text"),  # type: ignore[arg-type]
    (lambda: ss.conv(whole(1, 2, 5), whole(3, 1, 2)), ShapeError, "channels"),
    (lambda: ss.conv(whole(1, 2, 5), whole(3, 1, 2), groups=2), ShapeError, "results"),
    (lambda: ss.conv(whole(1, 2, 5), whole(3, 2, 6)), ShapeError, "does not fit"),
    (lambda: ss.conv(whole(1, 2, 5), whole(3, 2)), ShapeError, "1 to 3 axes"),
    (lambda: ss.conv(whole(2, 5, 5), whole(3, 2, 1, 1, 1)), ShapeError, "1 to 3 axes"),
    (lambda: ss.conv(whole(1, 2, 5), whole(3, 2, 2), whole(2)), ShapeError, "bias has shape"),
    (lambda: ss.conv(whole(1, 2, 5), whole(3, 2, 2), stride=0), ArgumentError, "stride is 0"),
    (lambda: ss.conv(whole(1, 2, 5), whole(3, 2, 2), padding=-1), ArgumentError, "padding is -1"),
    (lambda: ss.conv(whole(1, 2, 5), whole(3, 2, 2), dilation=(1, 1)), ArgumentError, "dilation"),
    (lambda: ss.conv(whole(1, 2, 5), whole(3, 2, 2), padding="full"), ArgumentError, "'valid'"),
    (lambda: ss.conv(whole(1, 2, 5), whole(3, 2, 2), padding="same", stride=2), ArgumentError, "strides of 1"),
    (lambda: ss.conv(whole(1, 2, 5), whole(3, 2, 2), groups=0), ArgumentError, "groups is 0"),
    (lambda: ss.conv(whole(1, 2, 5), whole(3, 2, 2), stride=1.5), ArgumentTypeError, "stride"),  # type: ignore[arg-type]
]  # fmt: skip


@looped("call, error, says", CALLS)
def test_what_does_not_fit_is_refused_in_words(call: Callable[[], Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call()


def test_three_operands_are_rounded_at_each_pair() -> None:
    a, b, c = normal(3, 4), normal(4, 5, seed=1), normal(5, 2, seed=2)
    assert_bits(ss.einsum("ij,jk,kl->il", a, b, c), ss.matmul(ss.matmul(a, b), c), "from the left")
    wide = ss.einsum("ij,jk,kl->il", a, b, c, dtype=np.float64)
    assert_bits(wide, ss.matmul(ss.matmul(a, b), c, dtype=np.float64), "the last one in float64")


@looped("spatial", [1, 2, 3])
def test_conv_is_pytorch_s(spatial: int) -> None:
    torch = pytest.importorskip("torch")
    function = getattr(torch.nn.functional, f"conv{spatial}d")
    x, b = whole(2, 4, *(7, 6, 5)[:spatial]), whole(6)
    for groups in (1, 2):
        w = whole(6, 4 // groups, *(3, 2, 1)[:spatial], seed=groups)
        each: tuple[Any, ...] = tuple(range(1, spatial + 1))
        for options in (
            {}, {"stride": 2}, {"padding": 1}, {"dilation": 2}, {"stride": each, "padding": each, "dilation": each},
            {"padding": "same", "dilation": 2}, {"padding": "valid", "stride": (3,)},
        ):  # fmt: skip
            expected = function(*map(torch.tensor, (x, w, b)), groups=groups, **options).numpy()
            assert_same(ss.conv(x, w, b, groups=groups, **options), expected)
            assert_same(ss.conv(x[0], w, b, groups=groups, **options), expected[0])
    assert ss.conv(x[:0], w, b, groups=2).shape == (0, *function(*map(torch.tensor, (x, w)), groups=2).shape[1:])


def test_lazy_arrays_are_refused() -> None:
    lazy = pytest.importorskip("dask.array").ones((3, 3), chunks=2)
    for call in (lambda: ss.matmul(lazy, lazy), lambda: ss.einsum("ij,jk", whole(3, 3), lazy)):
        with pytest.raises(ArgumentTypeError, match="lazy"):
            call()


def test_conv_of_integers_wraps() -> None:
    x, w = np.full((1, 1, 4), 100, np.int8), np.full((1, 1, 2), 100, np.int8)
    assert ss.conv(x, w, np.int8([3])).tolist() == [[[35] * 3]]


def test_convolutions_of_no_channels_are_their_bias() -> None:
    x, weight, none = np.ones((2, 0, 5), np.float32), np.ones((3, 0, 2), np.float32), np.ones((0, 0, 2), np.float32)
    assert ss.conv(x, weight).tolist() == [[[0] * 4] * 3] * 2
    assert ss.conv(x, weight, np.float32([1, 2, 3])).tolist() == [[[1] * 4, [2] * 4, [3] * 4]] * 2
    assert ss.conv(x, none, groups=2).shape == (2, 0, 4)
    assert ss.conv(x[:0], weight).shape == (0, 3, 4)


def test_products_have_as_many_axes_as_arrays() -> None:
    a, b = whole(2, 1, 2, 2), whole(3, 2, 2)
    deep = (1,) * 60
    found = ss.matmul(a.reshape(deep + a.shape), b)
    assert_bits(found, ss.matmul(a, b).reshape(found.shape))
    assert found.shape == (*deep, 2, 3, 2, 2)
    with pytest.raises(ss.ShapeError, match=r"before the last two, the shapes \(2,\) and \(3,\) do not broadcast"):
        ss.matmul(a[:, 0], b)
