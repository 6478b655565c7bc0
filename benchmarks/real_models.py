"""What `samesum compare` finds in all models of some folders, and what exact reductions cost there.

python benchmarks/real_models.py FOLDER... [--rounds N]

For each .onnx and .xml: nodes that are judged, verdicts and the largest error of each engine by `samesum compare`, its
time as a user waits for it, and the processor time of a run with samesum's reductions over that of the runtime's own,
one thread: `samesum.onnx.exact_session` and `samesum.openvino.exact`. Prints two Markdown tables.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import samesum as ss
from samesum.compare.graph import Graph
from samesum.compare.reading import made_up, read
from samesum.runtimes.onnxruntime_engine import OnnxRuntime
from samesum.runtimes.openvino_engine import OpenVino
from samesum.runtimes.runtime import EngineError, Format, run

Feeds = Mapping[str, np.ndarray]
VERDICTS = ("wrong", "inexact", "right", "refused", "no opinion")
ENGINES = ("onnxruntime", "openvino")


def feeds_for(graph: Graph) -> Feeds:
    """Inputs as `samesum compare` makes them up."""
    engines = [engine() for engine in (OnnxRuntime, OpenVino) if graph.model.format in engine.formats]

    def failures(feeds: Feeds) -> list[str]:
        found = []
        for engine in engines:
            try:
                run(engine, graph.model, feeds, graph.outputs)
                found.append("")
            except EngineError as error:
                found.append(str(error) or "it fails")
        return found

    return made_up(graph, 0, failures)[0]


def compared(path: Path) -> tuple[dict[str, Any], float]:
    """The document of `samesum compare`, and the seconds that it takes."""
    begin = time.perf_counter()
    said = subprocess.run(
        [sys.executable, "-m", "samesum", "compare", path, "--json"], capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - begin
    if said.returncode not in (0, 1):
        raise SystemExit(f"{path}: {said.stderr}")
    return json.loads(said.stdout), seconds


def in_turns(calls: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """The median processor time of each call, in seconds; they run in turns."""
    times: list[list[float]] = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(rounds):
        for call, found in zip(calls, times, strict=True):
            begin = time.process_time()
            call()
            found.append(time.process_time() - begin)
    return [statistics.median(each) for each in times]


def onnxruntime_calls(graph: Graph, feeds: Feeds) -> list[Callable[[], object]]:
    """A run by ONNX Runtime and one with samesum's operators."""
    import onnxruntime

    found = []
    for make in (onnxruntime.InferenceSession, ss.onnx.exact_session):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        session = make(graph.model.content, options, providers=["CPUExecutionProvider"])
        known = {each.name for each in session.get_inputs()}
        found.append(partial(session.run, None, {name: each for name, each in feeds.items() if name in known}))
    return found


def openvino_calls(graph: Graph, feeds: Feeds) -> list[Callable[[], object]]:
    """The same by OpenVINO, in float32."""
    import openvino

    core = openvino.Core()
    weights = np.frombuffer(graph.model.weights, np.uint8).copy()
    model = core.read_model(graph.model.content, openvino.Tensor(weights))
    options = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1}
    found = []
    for each in (model, ss.openvino.exact(model)):
        compiled = core.compile_model(each, "CPU", options)
        given = {port: feeds[next(name for name in port.get_names() if name in feeds)] for port in compiled.inputs}
        found.append(partial(compiled, given))
    return found


def costs(calls: Callable[[Graph, Feeds], list[Callable[[], object]]], graph: Graph, feeds: Feeds, rounds: int) -> str:
    """Milliseconds of the runtime's own run, and the ratio with samesum's reductions; a dash where it does not run."""
    try:
        plain, exact = in_turns(calls(graph, feeds), rounds)
    except (RuntimeError, ss.errors.SamesumError):
        return "- | -"
    except Exception as error:
        if "onnxruntime" not in type(error).__module__:
            raise
        return "- | -"
    return f"{1e3 * plain:.2f} | {exact / plain:.2f}"


def counted(found: Mapping[str, Any], engine: str) -> str:
    """Verdicts of an engine in the order of VERDICTS, without the zeros, and its largest error inside the model."""
    given = [node["engines"][engine] for node in found["nodes"] if engine in node["engines"]]
    if engine not in found["engines"] or not given:
        return "- | -"
    verdicts = [each["verdict"] for each in given]
    said = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS if verdict in verdicts)
    errors = [float(counting(each)["scaled"]) for each in given if counting(each)]
    return f"{said} | {f'{max(errors):.3g}' if errors else '-'}"


def counting(finding: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The figure inside the model, or alone where that one rests on values being exposed."""
    rests = "rests on exposed values" in finding["reason"]
    return finding["alone"] if rests or not finding["inside"] else finding["inside"]


def reasons(found: Mapping[str, Any]) -> Iterator[str]:
    """What is said of each engine that is wrong at a node, and of float16."""
    said: dict[str, int] = {}
    for node in found["nodes"]:
        for name, each in node["engines"].items():
            if each["verdict"] == "wrong":
                figure = counting(each)
                ulps = f", {float(figure['scaled']):.3g} ulps" if figure else ""
                text = f"{name}, {node['operator']} over {node['reduced']}{ulps}: {each['reason'] or 'not explained'}"
                said[text] = said.get(text, 0) + 1
    yield from (text if count == 1 else f"{text} ({count} nodes)" for text, count in said.items())
    overflows = {each["name"] for each in found["hazards"] if each["type"] == "float16" and "overflow" in each["kind"]}
    if overflows:
        yield f"in float16 {len(overflows)} {'node' if len(overflows) == 1 else 'nodes'} would overflow"


def main() -> None:
    """Both tables for the folders of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=30, help="readings of each run (default 30)")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    paths = sorted(p for folder in arguments.folders for p in folder.rglob("*") if p.suffix in (".onnx", ".xml"))
    print("| model | nodes | ONNX Runtime | ulps | OpenVINO, f32 | ulps | compare | ms | exact | ms | exact |")
    print("|---|---:|---|---:|---|---:|---:|---:|---:|---:|---:|")
    findings = []
    for path in paths:
        found, seconds = compared(path)
        graph = read(path)
        feeds = feeds_for(graph)
        own = costs(onnxruntime_calls, graph, feeds, arguments.rounds) if graph.model.format is Format.ONNX else "- | -"
        theirs = costs(openvino_calls, graph, feeds, arguments.rounds)
        verdicts = " | ".join(counted(found, engine) for engine in ENGINES)
        print(f"| {path.name} | {len(found['nodes'])} | {verdicts} | {seconds:.1f} s | {own} | {theirs} |", flush=True)
        findings += [f"| {path.name} | {text} |" for text in reasons(found)]
    print("\n| model | wrong, and hazards |\n|---|---|")
    print("\n".join(findings))


if __name__ == "__main__":
    main()
