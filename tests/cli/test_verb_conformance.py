"""`samesum conformance`: tables, documents, filters, saved cases, statuses; wrong backends are found out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import ROOT, Command

from samesum import __version__
from samesum.cli.conformance import EPILOG
from samesum.conformance.forms import FORMS
from samesum.conformance.suites.catalogue import SUITES
from samesum.runtimes.catalogue import OTHERS

SUMS = ("--op", "ReduceSum", "--suite", "onnx-node", "edge", "--standard", "onnx")


@pytest.fixture
def beside_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is the one of tests/conformance/backends.py."""
    monkeypatch.chdir(ROOT / "tests" / "conformance")


def _document(samesum: Command, *arguments: object) -> tuple[int, dict[str, Any]]:
    done = samesum("conformance", "--json", *arguments)
    return done.status, json.loads(done.out)


def test_the_tables_have_a_line_for_each_operator_and_suite(samesum: Command) -> None:
    done = samesum("conformance", "--op", "CumSum", "reducemax", "--against", "reference")
    assert done.status == 0
    assert done.err == ""
    lines = [line.split("  ") for line in done.out.splitlines() if line.strip()]
    firsts = [line.strip().split()[0] for line in done.out.splitlines()]
    others = {"onnx-exported", "onnxruntime-own", "onnx-node-others"}
    assert {"CumSum", "ReduceMax", *SUITES} - others <= set(firsts)
    assert f"samesum {__version__}" in done.out
    assert "reference 1." in done.out
    assert lines


def test_the_document_counts_what_the_findings_say(samesum: Command) -> None:
    status, document = _document(samesum, *SUMS, "--against", "reference")
    assert status == 0, document["findings"][:3]
    assert [(each["name"], each["tested"]) for each in document["engines"]] == [("samesum", True), ("reference", False)]
    assert {row["engine"]: row["passed"] == row["cases"] for row in document["operators"]} == {
        "samesum": True,
        "reference": False,
    }
    assert [row["suite"] for row in document["suites"] if row["engine"] == "samesum"] == ["onnx-node", "edge"]
    for row in document["suites"]:
        parts = {key: row[key] for key in ("passed", "not_supported", "refused", "failed")}
        assert sum(parts.values()) == row["cases"]
        wrong = {
            finding["case"]
            for finding in document["findings"]
            if (finding["engine"], finding["suite"]) == (row["engine"], row["suite"])
        }
        assert len(wrong) == row["cases"] - row["passed"]
    assert set(document["findings"][0]) == {
        *("engine", "suite", "case", "standard", "operator", "opset", "form", "outcome", "message", "saved"),
    }


def test_markdown_is_both_tables(samesum: Command) -> None:
    out = samesum("conformance", "--op", "CumSum", "--suite", "onnx-node", "--markdown").out
    count = len([case for case in SUITES["onnx-node"].cases() if case.operator == "CumSum"])
    assert out == (
        f"| operator | standard | samesum {__version__} |\n| --- | --- | --- |\n"
        f"| CumSum | onnx | {count}/{count} |\n\n"
        f"| suite | samesum {__version__} |\n| --- | --- |\n| onnx-node | {count}/{count} |\n"
    )


def test_forms_and_standards_are_chosen(samesum: Command) -> None:
    _, document = _document(samesum, "--op", "ReduceL2", "--standard", "openvino", "--form", "ir10")
    assert {row["standard"] for row in document["operators"]} == {"openvino"}
    assert document["findings"] == []


def test_no_case_run_is_a_mismatch_and_is_said(samesum: Command) -> None:
    for chosen in (("--form", "constants"), ("--engine", "reference")):
        done = samesum("conformance", "--op", "ReduceL2", "--standard", "openvino", "--json", *chosen)
        assert done.status == 1
        assert json.loads(done.out)["operators"] == []
        assert samesum("conformance", "--op", "ReduceL2", "--standard", "openvino", *chosen).out == ""
        assert (
            f"samesum: no case was put to {'reference' if 'reference' in chosen else 'samesum'}: it does not"
            in done.err
        )


@pytest.mark.usefixtures("beside_backends")
def test_a_backend_that_reads_ir_gets_the_cases_of_openvino(samesum: Command) -> None:
    chosen = ("--op", "ReduceL2", "--standard", "openvino", "--suite", "openvino-op-reference")
    for others, expected in (((), 0), (("backends:Right",), 1)):
        status, document = _document(samesum, *chosen, "--backend", "backends:ReadsIr", *others)
        assert status == expected
        assert [(row["engine"], row["passed"]) for row in document["suites"]] == [("backends:ReadsIr", 18)]


def test_a_file_is_no_folder_to_save_in(samesum: Command, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("")
    for option in ("--save", "--export"):
        done = samesum("conformance", "--engine", "reference", option, path)
        assert (done.status, done.out) == (2, "")
        assert f"{option} {path} is a file; a folder is needed" in done.err


def test_all_cases_are_exported_with_a_list(samesum: Command, tmp_path: Path) -> None:
    done = samesum("conformance", "--op", "ReduceL2", "--suite", "edge", "onnx-node", "--export", tmp_path / "cases")
    assert done.status == 0
    rows = json.loads((tmp_path / "cases" / "cases.json").read_text())["cases"]
    assert done.out == f"exported: {len(rows)} cases to {tmp_path / 'cases'}; cases.json lists them\n"
    assert len({row["folder"] for row in rows}) == len(rows) == 88
    for row in rows:
        folder = tmp_path / "cases" / row["folder"]
        assert (folder / ("model.onnx" if row["standard"] == "onnx" else "model.xml")).exists()
        assert (folder / "test_data_set_0" / "output_0.pb").exists() == (row["due"] == "output")


@pytest.mark.usefixtures("beside_backends")
def test_steps_may_be_allowed(samesum: Command) -> None:
    chosen = ("--op", "ReduceSum", "--suite", "edge", "--backend", "backends:Float32")
    _, strict = _document(samesum, *chosen)
    _, loose = _document(samesum, *chosen, "--ulp", "1")
    assert strict["suites"][0]["passed"] < loose["suites"][0]["passed"] < loose["suites"][0]["cases"]
    assert "--ulp is -1" in samesum("conformance", "--ulp", "-1").err


@pytest.mark.usefixtures("beside_backends")
def test_float32_sums_are_found_out_and_saved(samesum: Command, tmp_path: Path) -> None:
    status, document = _document(samesum, *SUMS, "--backend", "backends:Float32", "--save", tmp_path / "wrong")
    assert status == 1
    failed = {finding["case"]: finding for finding in document["findings"] if finding["outcome"] == "failed"}
    for name in (
        "onnx-ReduceSum-20-float64-tie-broken-far-below",
        "onnx-ReduceSum-20-float32-cancels-but-for-one",
        "onnx-ReduceSum-20-int64-beyond-2-53",
        "onnx-ReduceSum-20-float16-rounded-once",
        "onnx-ReduceSum-20-float32-tenths",
    ):
        assert "differ" in failed[name]["message"]
        assert (Path(failed[name]["saved"]) / "model.onnx").is_file()
        assert (Path(failed[name]["saved"]) / "test_data_set_0" / "output_0.pb").is_file()
    mismatches = [each for each in document["findings"] if each["outcome"] != "not_supported"]
    saved = {path.parent for path in (tmp_path / "wrong").glob("*/*/model.onnx")}
    assert saved == {Path(finding["saved"]) for finding in mismatches}


@pytest.mark.usefixtures("beside_backends")
@pytest.mark.parametrize(
    ("name", "status", "column"),
    [("Right", 0, "passed"), ("Raises", 1, "failed"), ("Refuses", 1, "refused"), ("Empty", 5, "not_supported")],
)
def test_the_status_of_a_backend(name: str, status: int, column: str, samesum: Command) -> None:
    arguments = ("--op", "ReduceSum", "--suite", "onnx-node", "--backend", f"backends:{name}")
    found, document = _document(samesum, *arguments)
    assert found == status
    (row,) = document["suites"]
    assert row["engine"] == f"backends:{name}"
    assert row[column] == row["cases"] > 0


@pytest.mark.usefixtures("beside_backends")
def test_a_backend_that_refuses_everything_has_not_passed(samesum: Command) -> None:
    cases = [case for case in SUITES["edge"].cases() if (case.standard, case.operator) == ("onnx", "ReduceSum")]
    assert any(isinstance(case.expected, type) and issubclass(case.expected, NotImplementedError) for case in cases)
    chosen = ("--op", "ReduceSum", "--suite", "edge", "--standard", "onnx")
    status, document = _document(samesum, *chosen, "--backend", "backends:Empty")
    assert status == 5
    assert [(row["passed"], row["not_supported"]) for row in document["suites"]] == [(0, len(cases))]
    status, document = _document(samesum, *chosen, "--engine", "samesum", "--backend", "backends:Empty")
    assert status == 5
    assert [row["passed"] for row in document["suites"]] == [len(cases), 0]


def test_all_engines_are_those_that_read_the_standard(samesum: Command) -> None:
    status, document = _document(samesum, "--op", "ReduceL2", "--suite", "openvino-op-reference", "--engine", "all")
    assert status == 0, document["findings"]
    assert {each["name"] for each in document["engines"]} <= {"samesum", "openvino"}


@pytest.mark.usefixtures("beside_backends")
def test_what_is_shown_beside_does_not_decide(samesum: Command) -> None:
    assert samesum("conformance", "--op", "ReduceSum", "--suite", "edge", "--against", "reference").status == 0
    assert samesum("conformance", "--op", "ReduceSum", "--suite", "edge", "--engine", "reference").status == 1


@pytest.mark.usefixtures("beside_backends")
def test_mismatches_are_printed_up_to_a_number(samesum: Command) -> None:
    done = samesum("conformance", "--op", "ReduceSum", "--suite", "edge", "--backend", "backends:Raises")
    lines = [line for line in done.out.splitlines() if line.startswith("backends:Raises: edge/")]
    assert len(lines) == 20
    assert "ValueError: no idea what this is" in lines[0]
    assert " more; --json prints all of them" in done.out


def test_the_example_in_ten_lines(process: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    source = (ROOT / "examples" / "ten_line_backend.py").read_text()
    body = source.partition("def run(self, model, inputs):\n")[2].rstrip().splitlines()
    assert len(body) <= 10
    arguments = ("--backend", "examples.ten_line_backend:Backend", "--op", "ReduceSum", "ReduceL1", "--ulp", "4")
    suites = ("--suite", "onnx-node", "onnx-older", "onnxruntime-own", "edge")
    done = process("conformance", "--json", "--standard", "onnx", *arguments, *suites)
    document = json.loads(done.out)
    assert (done.status, done.err) == (0, "")
    assert {each["outcome"] for each in document["findings"]} == {"not_supported"}
    passed = {each["suite"]: each["passed"] / each["cases"] for each in document["suites"]}
    assert passed.pop("onnx-node") >= 0.7  # the others are spelt out in several nodes
    assert passed["onnx-older"] == passed["onnxruntime-own"] == 1
    assert min(passed.values()) >= 0.9


@pytest.mark.usefixtures("beside_backends")
@pytest.mark.parametrize("name", ["backends:Prints", "printing:AtEveryTurn"])
def test_what_a_backend_prints_leaves_the_document_alone(name: str, process: Command) -> None:
    done = process("conformance", "--json", "--op", "ReduceSum", "--suite", "onnx-node", "--backend", name)
    assert json.loads(done.out)["suites"][0]["engine"] == name
    assert "this is not for standard output" in done.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--engine", "tensorrt"), "there is no engine 'tensorrt'; allowed are all, onnxruntime, openvino, reference"),
        (("--against", "ort"), "there is no engine 'ort'; allowed are onnxruntime, openvino, reference, samesum"),
        (("--suite", "nodes"), "there is no suite 'nodes'; allowed are edge, onnx-exported"),
        (
            ("--op", "ReduceMedian"),
            "there is no operator 'ReduceMedian' in these cases; allowed are Abs, AdaptiveAvgPool",
        ),
        (("--form", "text"), "there is no form 'text'; allowed are call, constants, ir10"),
        (("--backend", "no_such_module:Class"), "cannot import no_such_module: ModuleNotFoundError"),
        (("--backend", "json"), "a backend is given as module:Class, got 'json'"),
        (("--suite", "onnxruntime", "--standard", "openvino"), "no case is left"),
        (("--standard", "coreml"), "argument --standard: invalid choice"),
        (("--timeout", "0"), "--timeout is 0"),
    ],
)
def test_wrong_usage_says_what_is_allowed(arguments: tuple[str, ...], says: str, samesum: Command) -> None:
    done = samesum("conformance", *arguments)
    assert (done.status, done.out) == (2, "")
    assert says in done.err


def test_a_missing_engine_is_named_with_its_extra(samesum: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samesum.runtimes.runtime.find_spec", lambda _: None)
    done = samesum("conformance", "--standard", "openvino", "--against", "openvino")
    assert done.status != 0
    assert 'pip install "samesum[compare]"' in done.err
    done = samesum("conformance")
    assert done.status != 0
    assert 'pip install "samesum[onnx]"' in done.err


def test_the_help_names_every_suite_engine_and_form() -> None:
    for name in (*SUITES, *OTHERS, *FORMS):
        assert name in EPILOG
    assert "run(self, model, inputs)" in EPILOG


@pytest.mark.parametrize(("arguments", "says"), [
    (("--ep-name", "mine"), "--ep-library FILE and --ep-name NAME are given together"),
    (("--ep-library", "README.md"), "--ep-library FILE and --ep-name NAME are given together"),
    (("--ep-library", "no_such.so", "--ep-name", "mine"), "--ep-library no_such.so is no file"),
])  # fmt: skip
def test_a_plugin_is_a_file_and_a_name(samesum: Command, arguments: tuple[str, ...], says: str) -> None:
    done = samesum("conformance", *arguments)
    assert (done.status, done.out, done.err) == (2, "", f"samesum: error: {says}\n")


def test_a_library_that_is_no_plugin_is_refused(samesum: Command, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    library = tmp_path / "libmine.so"
    library.write_text("no library")
    done = samesum("conformance", "--ep-library", library, "--ep-name", "mine")
    assert done.status == 2
    assert f"{library} is no execution provider plugin that ONNX Runtime loads: " in done.err
