"""What `import samesum` gives and loads, and what the rooms do not give."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, get_type_hints

import numpy as np
import pytest

import samesum

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "samesum"
ROOMS = sorted(path.parent for path in PACKAGE.glob("*/**/__init__.py"))

ERRORS = {
    "SamesumError": (Exception,),
    "AxisError": (ValueError, IndexError),
    "DtypeError": (TypeError,),
    "ShapeError": (ValueError,),
    "UnsupportedOperator": (NotImplementedError,),
    "ModelError": (ValueError,),
    "UnsafeModelError": (samesum.ModelError,),
    "ArgumentError": (ValueError,),
    "ArgumentTypeError": (TypeError,),
    "AttributeValueError": (samesum.ArgumentError,),
    "MissingPackage": (ImportError,),
}
PUBLIC = ["samesum", "samesum.compare", "samesum.onnx", "samesum.openvino", "samesum.testing", "samesum.torch"]
PUBLIC_ROOMS = {"compare", "testing"}
"""Rooms whose own names are public."""

SETTINGS = {"set_num_threads", "get_num_threads", "set_cache_limit", "get_cache_limit"}
FUNCTIONS = {
    *{"sum", "prod", "mean", "min", "max", "l1_norm", "l2_norm", "sum_square", "log_sum", "logsumexp"},
    *{"average", "nansum", "nanprod", "nanmean", "nanmin", "nanmax", "nanvar", "nanstd"},
    *{"all", "any", "count_nonzero", "argmin", "argmax", "reduce", "cumulative_sum", "cumulative_prod"},
    *{"cumulative_logsumexp", "cumulative_max", "cumulative_min", "vector_norm"},
    *{"scatter_reduce", "segment_reduce", "matmul", "tensordot", "einsum", "conv"},
    "scaled_dot_product_attention",
    *{"var", "std", "vecdot", "layer_norm", "rms_norm", "group_norm", "softmax", "log_softmax"},
    *SETTINGS,
    "load",
}

LOADED = """
import sys
import numpy, ml_dtypes
before = set(sys.modules)
import samesum
print(*(set(sys.modules) - before))
"""

DOORS_LOADED = """
import sys
import samesum
samesum.onnx, samesum.openvino.exact, samesum.onnx.InferenceSession, samesum.torch.exact
print(*sys.modules)
"""


def test_the_public_names_are_these() -> None:
    names = {"Model", "NDArray", "Scan", "State", "compare", "onnx", "openvino", "testing", "torch"} | {
        "__version__",
        "__array_namespace_info__",
    }
    assert set(samesum.__all__) == {*FUNCTIONS, *ERRORS, *names}
    assert len(set(samesum.__all__)) == len(samesum.__all__)
    assert all(hasattr(samesum, name) for name in samesum.__all__)


@pytest.mark.parametrize(("name", "bases"), ERRORS.items())
def test_every_error_is_a_built_in_too(name: str, bases: tuple[type, ...]) -> None:
    error = getattr(samesum, name)
    assert issubclass(error, (samesum.SamesumError,))
    assert all(issubclass(error, base) for base in bases)


@pytest.mark.parametrize("door", PUBLIC)
def test_every_public_function_is_documented_with_an_example(door: str) -> None:
    module = import_module(door)
    for name in module.__all__:
        each = getattr(module, name)
        if callable(each) and not isinstance(each, type):
            assert each.__doc__, name
            assert ">>> " in each.__doc__, name


@pytest.mark.parametrize("door", PUBLIC[:-1])
def test_what_is_public_says_where_it_is_imported_from(door: str) -> None:
    module = import_module(door)
    for name in module.__all__:
        each = getattr(module, name)
        if isinstance(each, FunctionType | type):
            assert (each.__module__, each.__qualname__) == (door, name)
            assert pickle.loads(pickle.dumps(each)) is each


def test_errors_can_be_pickled() -> None:
    for error in (samesum.AxisError("axis 2"), samesum.UnsupportedOperator("Conv", {"Conv": 2})):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), again.args, vars(again)) == (type(error), error.args, vars(error))


def test_the_package_says_which_modules_are_public() -> None:
    assert samesum.__doc__ is not None
    assert "Public are this module and those five" in " ".join(samesum.__doc__.split())


@pytest.mark.parametrize("name", sorted(FUNCTIONS - SETTINGS - {"load"}))
def test_annotations_can_be_read_and_leave_nothing_open(name: str) -> None:
    hints = get_type_hints(getattr(samesum, name))
    is_scalar_or_array = name in {"vecdot", "matmul", "tensordot", "einsum"}
    assert Any not in [hint for argument, hint in hints.items() if not (is_scalar_or_array and argument == "return")]
    assert set(hints) == {*inspect.signature(getattr(samesum, name)).parameters, "return"}


@pytest.mark.parametrize(
    "module", ["samesum", "samesum.compare", "samesum.onnx", "samesum.openvino", "samesum.testing"]
)
def test_signatures_are_shown_as_they_stand_in_the_source(module: str) -> None:
    shown = []
    for name in import_module(module).__all__:
        each = getattr(import_module(module), name)
        named = vars(each).items() if isinstance(each, type) else [(name, each)]
        members = [member for called, member in named if called == "__init__" or called[0] != "_"]
        shown += [str(inspect.signature(member)) for member in members if isinstance(member, FunctionType)]
    assert len(shown) > 2
    assert [each for each in shown if re.search(r"(: |-> )['\"]", each)] == []


def test_what_load_returns_and_arrays_have_public_names() -> None:
    assert samesum.load(ROOT / "examples/onnx/opset13/reduce_sum_axes_2_3.onnx").__class__ is samesum.Model
    assert isinstance(np.zeros(3), samesum.NDArray.__origin__)


def test_both_ways_to_an_operator_lead_to_it() -> None:
    from samesum.onnx import ReduceSum

    assert samesum.onnx.ReduceSum is ReduceSum


def test_the_version_is_the_project_s() -> None:
    assert samesum.__version__ == version("samesum")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {samesum.__version__}\n" in citation


def test_the_package_says_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()


def test_import_loads_numpy_and_the_core_and_nothing_else() -> None:
    shown = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True).stdout
    loaded = {name.partition(".")[0] for name in shown.split()}
    foreign = loaded - set(sys.stdlib_module_names) - {"samesum", "numpy", "ml_dtypes", "nanobind_backend"}
    assert foreign == set()
    assert loaded & {"xml", "pyexpat", "argparse", "json", "difflib", "decimal", "fractions", "pathlib"} == set()
    rooms = {name.split(".")[1] for name in shown.split() if name.startswith("samesum.")}
    assert rooms & {"cli", "graph", "specs"} == set()


def test_the_standards_doors_import_neither_standard_s_package() -> None:
    shown = subprocess.run([sys.executable, "-c", DOORS_LOADED], capture_output=True, text=True, check=True).stdout
    assert {name.partition(".")[0] for name in shown.split()} & {
        "onnx",
        "openvino",
        "onnxruntime",
        "google",
        "torch",
    } == set()


@pytest.mark.parametrize("door", [samesum, samesum.onnx])
def test_names_that_do_not_exist_are_refused_and_dir_shows_the_others(door: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"module '{door.__name__}' has no attribute 'median'"):
        door.median  # noqa: B018
    assert dir(door) == sorted(door.__all__)


@pytest.mark.parametrize(
    "room", [room for room in ROOMS if room.name not in PUBLIC_ROOMS], ids=lambda room: str(room.relative_to(PACKAGE))
)
def test_a_room_s_door_plate_is_one_docstring(room: Path) -> None:
    (statement,) = ast.parse((room / "__init__.py").read_text(encoding="utf-8")).body
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Constant)
    assert isinstance(statement.value.value, str)


@pytest.mark.usefixtures("restored_threads")
def test_threads_are_counted() -> None:
    for threads in (1, 3, np.int64(2)):
        samesum.set_num_threads(threads)
        assert samesum.get_num_threads() == threads


@pytest.mark.parametrize("threads", [1.0, "2", None])
def test_threads_that_are_no_integer_are_refused(threads: object) -> None:
    with pytest.raises(TypeError):
        samesum.set_num_threads(threads)  # type: ignore[arg-type]
