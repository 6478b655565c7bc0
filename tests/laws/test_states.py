"""A state has the bits of one call on everything, however the data is cut, ordered, merged and stored."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
import samesum as ss
from drawing import arrays, families, float_dtypes
from naming import looped
from oracle import assert_bits
from samesum.formats.arrays import NDArray
from samesum.frontends.arrays.measures import Extremes

SUMS = ["sum", "mean", "l1", "l2", "sum_square"]
MOMENTS = ["var", "std", "rms"]
FREE: list[Any] = [*SUMS, "var", "std", "log_sum", "logsumexp", "prod", "min", "max", "all", "any", "count_nonzero"]
PLACED: list[Any] = [*FREE, "argmin", "argmax"]
seeds = st.integers(0, 2**32 - 1)


def one_call(x: NDArray, names: list[Any], axis: Any, dtype: Any = None) -> dict[str, Any]:
    wanted: dict[str, Any] = dict(
        ss.reduce(x, [name for name in names if name != "count_nonzero"], axis=axis, dtype=dtype)
    )
    if "count_nonzero" in names:
        with np.errstate(invalid="ignore"):
            wanted["count_nonzero"] = np.count_nonzero(x != 0, axis=axis)
    return wanted


def assert_same(state: ss.State, wanted: dict[str, Any], said: str) -> None:
    got = state.result()
    assert got.keys() == wanted.keys()
    for name, value in got.items():
        assert np.asarray(value).dtype == np.asarray(wanted[name]).dtype, (name, said)
        assert_bits(np.asarray(value), np.asarray(wanted[name]), f"{name}: {said}")


def cuts(n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    places = sorted({0, n, *rng.integers(0, n + 1, rng.integers(0, 6)).tolist()})
    return list(zip(places, [*places[1:], n], strict=True))


def gathered(x: NDArray, names: list[Any], axis: Any, along: int, rng: np.random.Generator) -> ss.State:
    """Chunks in a random order, in states that are merged in a random order, some of them stored in between."""
    states = [ss.State(names, axis=axis) for _ in range(rng.integers(1, 4))]
    pieces = cuts(x.shape[along], rng)
    step = 1 if axis is not None else x[:1].size
    for k in rng.permutation(len(pieces)).tolist():
        begin, end = pieces[k]
        chosen = states[rng.integers(len(states))]
        chosen.update(np.take(x, range(begin, end), along), offset=begin * step if "argmin" in names else None)
    total = ss.State(names, axis=axis)
    for k in rng.permutation(len(states)).tolist():
        each = states[k]
        total.merge(pickle.loads(pickle.dumps(each)) if rng.integers(2) else each.copy())
    return total


@given(arrays(rank=3, side=12), st.sampled_from((None, 0, 1, 2, -1, (0, 2), (1, 2))), seeds)
def test_any_cut_gives_the_bits_of_one_call(x: NDArray, axis: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    if max(np.atleast_1d(0 if axis is None else axis)) >= x.ndim:
        axis = None
    names = PLACED if axis is None or isinstance(axis, int) else FREE
    along = 0 if axis is None else axis if isinstance(axis, int) else axis[0]
    total, other = (gathered(x, names, axis, along, rng) for _ in range(2))
    assert_same(total, one_call(x, names, axis), f"axis {axis} seed {seed}")
    assert total.to_bytes() == other.to_bytes()


@given(families, float_dtypes, st.sampled_from((1, 100, 2047, 2048, 2049, 5000, 70000)), seeds)
def test_long_chunks_give_the_bits_of_one_call(family: str, dtype: str, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = cases.make(family, dtype, n, seed % 8)
    total, other = (gathered(x, PLACED, None, 0, rng) for _ in range(2))
    assert_same(total, one_call(x, PLACED, None), f"{family} {dtype} {n} seed {seed}")
    assert total.to_bytes() == other.to_bytes()


@pytest.mark.parametrize("axis", [None, 0, (1, 0), 1])
@pytest.mark.parametrize("masked", [False, True])
def test_long_chunks_are_taken_in_parts(axis: Any, masked: bool) -> None:
    rows = 1 << (16 if axis == 1 else 19)  # each of which is a set of its own, or not
    x = np.random.default_rng(4).standard_normal((rows, 3))
    x[rows // 4 * 3, 1] = x.max() + 1
    mask = np.random.default_rng(5).random(x.shape) < 0.5 if masked else None
    names: list[Any] = ["mean", "std", "max", "count_nonzero", *(["argmax", "argmin"] if axis != (1, 0) else [])]
    whole, cut = (ss.State(names, axis=axis) for _ in range(2))
    whole.update(x, where=mask, offset=None if axis == (1, 0) else 7)
    chunks = [x] if axis == 1 else np.array_split(x, 31)
    begin = 0
    for chunk in chunks:
        part = slice(begin, begin + len(chunk))
        offset = 7 + begin * {None: 3, 0: 1, 1: 0}[axis] if axis != (1, 0) else None
        cut.update(chunk, where=None if mask is None else mask[part], offset=offset)
        begin += len(chunk)
    assert whole.to_bytes() == cut.to_bytes()


@given(arrays(rank=2, side=30), st.sampled_from((None, 0, 1)), seeds)
def test_only_what_where_selects_counts(x: NDArray, axis: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = x.reshape(-1, x.shape[-1])
    mask = rng.random(x.shape) < 0.5
    mask[rng.integers(x.shape[0]), :] = True
    mask[:, rng.integers(x.shape[1])] = True
    state = ss.State(PLACED, axis=axis)
    for begin, end in cuts(x.shape[0], rng):
        offset = {None: begin * x.shape[1], 0: begin, 1: 0}[axis]
        rows = slice(begin, end)
        if axis != 1:
            state.update(x[rows], where=mask[rows], offset=offset)
    if axis == 1:
        state.update(x, where=mask)
    sets = x.reshape(1, -1) if axis is None else np.moveaxis(x, axis, -1)
    masks = mask.reshape(1, -1) if axis is None else np.moveaxis(mask, axis, -1)
    got = state.result()
    for k, (line, chosen) in enumerate(zip(sets, masks, strict=True)):
        for name, value in one_call(line[chosen], FREE, None).items():
            assert_bits(np.asarray(np.atleast_1d(got[name])[k]), np.asarray(value), f"{name} of set {k}, {seed}")
        for name, function in (("argmin", ss.argmin), ("argmax", ss.argmax)):
            place = np.flatnonzero(chosen)[int(function(line[chosen]))]
            assert int(np.atleast_1d(got[name])[k]) == place, f"{name} of set {k}, {seed}"


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz"])
def test_floats_of_eight_bits(dtype: str) -> None:
    import ml_dtypes

    x = np.random.default_rng(1).standard_normal(1000).astype(getattr(ml_dtypes, dtype))
    names: list[Any] = [*SUMS, "min", "max"]
    state = ss.State(names)
    for begin, end in ((400, 1000), (0, 400)):
        state.update(x[begin:end])
    assert_same(state.copy(), one_call(x, names, None), dtype)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_integers(dtype: str) -> None:
    rng = np.random.default_rng(2)
    limits = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    x = rng.integers(*limits, 3000, dtype=np.uint64 if dtype == "uint64" else np.int64, endpoint=True).astype(dtype)
    state = ss.State(PLACED)
    for begin, end in ((1000, 3000), (0, 1000)):
        state.update(x[begin:end], offset=begin)
    assert_same(pickle.loads(pickle.dumps(state)), one_call(x, PLACED, None), dtype)


@pytest.mark.parametrize("asked", ["float64", "float16", "bfloat16"])
def test_another_type_of_the_results(asked: str) -> None:
    import ml_dtypes

    dtype = np.dtype(getattr(ml_dtypes, asked, asked))
    x = np.random.default_rng(3).standard_normal(5000).astype(np.float32)
    state = ss.State(FREE, dtype=dtype)
    for part in np.split(x, 5):
        state.update(part)
    assert_same(state.copy(), one_call(x, FREE, None, dtype), asked)


def test_what_does_not_fit_is_refused() -> None:
    state = ss.State(["sum", "argmax"], axis=0)
    with pytest.raises(ss.ShapeError):
        state.result()
    state.update(np.ones((2, 3), np.float32))
    with pytest.raises(ss.DtypeError):
        state.update(np.ones((2, 3), np.float64))
    with pytest.raises(ss.ShapeError):
        state.update(np.ones((2, 4), np.float32))
    with pytest.raises(ss.ArgumentError):
        state.update(np.ones((2, 3), np.float32), offset=-1)
    with pytest.raises(ss.ArgumentError):
        state.merge(ss.State(["sum"], axis=0))
    with pytest.raises(ss.ArgumentError, match="'median' has no exact state"):
        ss.State(["median"])  # type: ignore[list-item]
    for correction in (float("nan"), float("inf")):
        with pytest.raises(ss.ArgumentError, match="a finite number is needed"):
            ss.State(["var"], correction=correction)
    with pytest.raises(ss.ArgumentTypeError, match="correction"):
        ss.State(["std"], correction="1")  # type: ignore[arg-type]
    state.merge(ss.State(["sum", "argmax"], axis=0))
    corrected = ss.State(["var"], correction=1)
    with pytest.raises(ss.ArgumentError, match="cannot be merged"):
        corrected.merge(ss.State(["var"]))


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_sets_and_chunks_without_an_element(dtype: Any) -> None:
    for shape in ((3, 0), (0, 3), (0, 0)):
        names: list[Any] = (
            [*FREE, "argmin"] if shape[1] == 0 else ["sum", "prod", "log_sum", "logsumexp", "count_nonzero"]
        )
        state = ss.State(names, axis=0)
        for _ in range(2):
            state.update(np.zeros(shape, dtype))
        got = state.merge(state).result()
        for name in names:
            assert np.shape(got[name]) == shape[1:], (name, shape)
        if shape == (0, 3):
            assert (got["sum"].tolist(), got["prod"].tolist()) == ([0] * 3, [1] * 3)
            assert got["logsumexp"].tolist() == [-np.inf] * 3


def test_damaged_bytes_are_refused() -> None:
    state = ss.State(["sum", "min"])
    state.update(np.arange(5.0))
    data = state.to_bytes()
    for k in range(len(data)):
        with pytest.raises(ss.ModelError):
            ss.State.from_bytes(data[:k])
        with pytest.raises(ss.ModelError):
            ss.State.from_bytes(data[:k] + bytes([data[k] ^ 1]) + data[k + 1 :])


@pytest.mark.usefixtures("each_instruction_set", "restored_threads")
@pytest.mark.parametrize("family", ["normal", "ill_conditioned", "ramp", "subnormals", "specials"])
@looped("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_instruction_sets_threads_byte_orders_and_layouts_give_the_same_bytes(family: str, dtype: str) -> None:
    x = cases.make(family, dtype, 300_000, 3).reshape(300, 1000)
    wanted: bytes | None = None
    for threads in (1, 3):
        ss.set_num_threads(threads)
        layouts = [x, np.asfortranarray(x), x.astype(x.dtype.newbyteorder(">")) if dtype != "bfloat16" else x]
        for layout in layouts:
            state = ss.State(FREE, axis=0)
            for rows in np.array_split(layout, threads + 1):
                state.update(rows)
            wanted = wanted or state.to_bytes()
            assert state.to_bytes() == wanted
            assert_same(state, one_call(x, FREE, 0), f"{family} {dtype}, {threads} threads")


def test_a_state_whose_update_was_interrupted_refuses_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    state = ss.State(["sum", "max"])
    state.update(np.arange(5.0))
    monkeypatch.setattr(Extremes, "add", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        state.update(np.arange(5.0))
    monkeypatch.undo()
    actions: list[Callable[[], object]] = [
        state.result,
        state.to_bytes,
        state.copy,
        lambda: state.update(np.arange(5.0)),
        lambda: state.merge(ss.State(["sum", "max"])),
        lambda: ss.State(["sum", "max"]).merge(state),
    ]
    for action in actions:
        with pytest.raises(ss.ArgumentError, match="has lost a part of its data"):
            action()


def forged(header: dict[str, object], sections: list[bytes]) -> bytes:
    """The bytes of a state with a checksum that is right."""
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    body = b"samestat" + (1).to_bytes(4, "little") + len(text).to_bytes(4, "little") + text
    body += b"".join(len(each).to_bytes(8, "little") + each for each in sections)
    return body + hashlib.sha256(body).digest()


HEADERS = st.fixed_dictionaries(
    {
        "axis": st.sampled_from([None, [0], [0, 1], [1, 0], [-1], [0, 0], [63]]),
        "dtype": st.sampled_from([None, "float32", "float64", "bfloat16", "int4", "longdouble", "object", "V2"]),
        "end": st.sampled_from([0, 5, 2**62, 2**63]),
        "kept": st.lists(st.sampled_from([0, 1, 2, 2**20, 2**62]), max_size=3),
        "names": st.lists(st.sampled_from([*PLACED, *MOMENTS, "median"]), max_size=3),
        "rank": st.sampled_from([None, 0, 1, 2, 64, -1]),
        "result": st.sampled_from([None, "float32", "int8", "x"]),
    }
)


@given(HEADERS, st.lists(st.binary(max_size=40) | st.just(bytes(8)) | st.just(bytes(9)), max_size=4))
def test_forged_states_are_refused_or_are_states(header: dict[str, object], sections: list[bytes]) -> None:
    data = forged(header, sections)
    try:
        state = ss.State.from_bytes(data)
    except ss.ModelError:
        return
    assert state.to_bytes() == data


@pytest.mark.parametrize("dtype", ["float128", "int4", "object", "complex64", "S3"])
def test_states_of_types_that_have_none_are_refused(dtype: str) -> None:
    header = {"axis": None, "dtype": dtype, "end": 0, "kept": [], "names": ["sum"], "rank": None, "result": None}
    with pytest.raises(ss.ModelError):
        ss.State.from_bytes(forged(header, [bytes(8), bytes(9)]))


@looped("dtype", ["float32", "float64"])
def test_chunks_whose_sums_lie_on_grids_of_their_own(dtype: str) -> None:
    """Magnitudes from chunk to chunk are powers of two apart, by little and by more than two words hold."""
    random = np.random.default_rng(4)
    for apart in (1, 3, 12, 25, 26, 40, 90):
        scales = [2.0 ** (apart * k) for k in (0, -1, 1, 0, -1)]
        chunks = [(random.standard_normal((70, 33)) * scale).astype(dtype) for scale in scales]
        chunks += [-chunks[0], -chunks[2]]  # what is left is small
        whole = np.concatenate(chunks)
        for order in (chunks, chunks[::-1]):
            total, others = ss.State(SUMS, axis=0), [ss.State(SUMS, axis=0) for _ in order]
            for state, chunk in zip(others, order, strict=True):
                total.update(chunk)
                state.update(chunk)
            assert_same(total, one_call(whole, SUMS, 0), f"{apart} updated")
            for number, state in enumerate(others[1:]):
                others[0].merge(pickle.loads(pickle.dumps(state)) if number % 2 else state)
            assert_same(others[0], one_call(whole, SUMS, 0), f"{apart} merged")
            assert others[0].to_bytes() == total.to_bytes()


@looped("dtype", ["float16", "float32", "float64"])
def test_many_short_chunks_join_whatever_their_scales(dtype: str) -> None:
    """Each chunk is small or large beside the others; what is left when all cancel has the last bits of each."""
    rng = np.random.default_rng(48)
    names: list[Any] = ["sum", "l1", "sum_square"]
    widest = 3 if dtype == "float16" else 12
    for width, spread in ((3, 0), (70, 1), (70, 6), (200, 2 * widest)):
        chunks = []
        for _ in range(90):
            scale = 2.0 ** rng.integers(-spread // 2, spread // 2 + 1)
            chunk = (rng.standard_normal((rng.integers(1, 5), width)) * scale).astype(dtype)
            chunk[:, rng.integers(0, width)] *= np.array(2.0 ** rng.integers(-widest, widest + 1), dtype)
            chunks += [chunk, -chunk]
        chunks.append((rng.standard_normal((1, width)) * 2.0**-9).astype(dtype))
        chunks = [chunks[k] for k in rng.permutation(len(chunks)).tolist()]
        states = [ss.State(names, axis=0) for _ in chunks]
        for state, chunk in zip(states, chunks, strict=True):
            state.update(chunk)
        while len(states) > 1:
            k = int(rng.integers(1, min(5, len(states))))
            total = states.pop(int(rng.integers(len(states))))
            for _ in range(k):
                total.merge(states.pop(int(rng.integers(len(states)))))
            states.append(total)
        together = np.concatenate(chunks)
        assert_same(states[0], one_call(together, names, 0), f"{dtype}, {width} columns, spread {spread}")
        at_once = ss.State(names, axis=0)
        at_once.update(together)
        assert states[0].to_bytes() == at_once.to_bytes()
