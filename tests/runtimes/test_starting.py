"""An engine that does not start says why, whatever keeps it, and so does a process that the system does not start."""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest

from samesum.compare import compare
from samesum.runtimes import remote
from samesum.runtimes.catalogue import maker
from samesum.runtimes.remote import Child, Remote
from samesum.runtimes.runtime import BackendError, EngineError, Format

CLASS = "class Engine:\n    def run(self, model, inputs):\n        return []\n"
FAULTS = {
    "import no_such_package": "cannot import mine: ModuleNotFoundError: No module named 'no_such_package'",
    "def broken(:": "cannot import mine: SyntaxError: ",
    "raise SystemExit(3)": "cannot import mine: SystemExit: 3",
    "import os; os._exit(3)": "mine:Engine does not start: its process ended as it started: exit status 3",
    "import os; os.abort()": "mine:Engine does not start: its process ended as it started: SIGABRT",
    CLASS + "    def __init__(self):\n        raise SystemExit(3)": "mine:Engine() cannot be made: SystemExit: 3",
    CLASS + "    run = None": "mine:Engine does not start: TypeError: ",
    CLASS + "    formats = 3": "mine:Engine.formats is 3; allowed are",
    "Engines = 1": "mine has no Engine; it has no classes",
}


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    monkeypatch.chdir(tmp_path)

    def write(text: str) -> None:
        (tmp_path / "mine.py").write_text(text)

    return write


@pytest.mark.parametrize("text", FAULTS)
def test_every_engine_that_does_not_start_says_why(text: str, written: Callable[[str], None]) -> None:
    written(text)
    runtime = Remote(maker("mine:Engine"), 60.0)
    with pytest.raises(BackendError) as said:
        runtime.start("mine:Engine")
    assert FAULTS[text] in str(said.value)


def test_an_engine_that_hangs_as_it_starts_is_ended(
    written: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    written("import time; time.sleep(600)")
    monkeypatch.setattr(remote, "START_SECONDS", 0.5)
    runtime = Remote(maker("mine:Engine"), 60.0)
    for _ in range(2):
        with pytest.raises(BackendError, match=r"mine:Engine does not start: no answer of its process within 0\.5 s"):
            runtime.start("mine:Engine")


def test_a_process_that_the_system_does_not_start_keeps_its_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: SpawnProcess) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(SpawnProcess, "start", start)
    child = Child(print, ())
    with pytest.raises(BlockingIOError):
        child.start()
    assert child.connection is None
    child.close()
    assert child.last_words() == "BlockingIOError: [Errno 11] Resource temporarily unavailable"
    runtime = Remote(maker("samesum"), 60.0)
    with pytest.raises(BackendError, match="samesum does not start: its process ended as it started: BlockingIOError"):
        runtime.start("samesum")
    with pytest.raises(EngineError, match="Resource temporarily unavailable"):
        runtime.prepare(remote.EngineModel(Format.ONNX, b""))


def test_engines_that_have_started_are_ended_where_one_does_not(
    written: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    written("import no_such_package")
    ended: list[Remote] = []
    close = Remote.close

    def noted(self: Remote) -> None:
        ended.append(self)
        close(self)

    monkeypatch.setattr(Remote, "close", noted)
    graph = b'<net name="n" version="11"><layers/></net>'
    with pytest.raises(BackendError, match="cannot import mine"):
        compare(graph, {}, ["samesum", "mine:Engine"], isolated=True)
    assert [each for each in ended if each._said is not None]
