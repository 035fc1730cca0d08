"""The notebooks of examples/notebooks over the demo archive: what they show is what they hold.

LADDERBACK_UPDATE=1 writes what they show into them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import PROMPT, TREE, World
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

import ladderback

FOLDER = TREE / "examples" / "notebooks"
SOURCE = TREE / "clients" / "python" / "src"


def shown(notebook: Any) -> list[list[dict[str, Any]]]:
    """The outputs of each cell, without the names of runs, which are by chance."""
    out = []
    for cell in notebook.cells:
        outputs = []
        for o in cell.get("outputs", []):
            kept = {k: v for k, v in o.items() if k in ("output_type", "name", "text", "ename", "evalue", "data")}
            outputs.append(kept)
        out.append(outputs)
    return out


def unnamed(value: Any) -> Any:
    """An output whose runs have no names."""
    if isinstance(value, dict):
        return {k: unnamed(v) for k, v in value.items()}
    if isinstance(value, list):
        return [unnamed(v) for v in value]
    return re.sub(r"run_[a-z0-9]{26}", "run_…", value) if isinstance(value, str) else value


@pytest.fixture(scope="session")
def demo(program: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo archive, alone."""
    at = tmp_path_factory.mktemp("demo")
    command = [program, "markets", "--limit", "1", "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "LADDERBACK_CACHE": str(at)})
    (found,) = at.glob("demo-*.db")
    return found


@pytest.fixture
def kernel(program: str, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels find the package of this tree and the program, no server, and a demo archive
    beside which nothing was tried yet."""
    (tmp_path / "cache").mkdir()
    shutil.copy2(demo, tmp_path / "cache")
    monkeypatch.setenv("LADDERBACK_CACHE", str(tmp_path / "cache"))
    for name in ("LADDERBACK_URL", "LADDERBACK_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LADDERBACK_BIN", program)
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda p: p.stem)
def test_notebook(path: Path, kernel: None, tmp_path: Path) -> None:
    notebook: Any = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    held = unnamed(shown(notebook))
    # What is printed in pieces, as it comes, is one text.
    client = NotebookClient(
        notebook,
        timeout=300,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": tmp_path}},
    )
    client.execute()
    found = unnamed(shown(notebook))
    assert "lb_" not in str(found), "a key is in what is shown"
    if os.environ.get("LADDERBACK_UPDATE"):
        for cell, outputs in zip(notebook.cells, found, strict=True):
            for at, output in zip(cell.get("outputs", []), outputs, strict=True):
                at.update(output)
        nbformat.write(notebook, path)  # type: ignore[no-untyped-call]
        return
    for number, (have, want) in enumerate(zip(found, held, strict=True)):
        assert have == want, f"cell {number} shows something else: run with LADDERBACK_UPDATE=1 where that is meant"


def test_interrupt(world: World, kernel: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The button that interrupts a notebook ends the run at the server."""
    monkeypatch.setenv("LADDERBACK_URL", world.base)
    monkeypatch.setenv("LADDERBACK_API_KEY", world.key)
    manager, client = start_new_kernel()
    try:
        # As long as one may be: it must not end before it is interrupted.
        prompt = PROMPT.replace("last 20", "last 40")
        vary = '["entry.0.threshold=0.2:0.69:0.005", "exit.take_profit=0.5:0.99:0.005"]'
        asked = client.execute(f"import ladderback\nladderback.Client().sweep({prompt!r}, {vary}, progress=True)")
        with ladderback.Client(world.base, world.key) as c:
            end = time.monotonic() + 60
            while not (runs := [r for r in c.sweeps.list() if r["combinations"] > 5000]):
                assert time.monotonic() < end, "no run has begun"
                time.sleep(0.05)
            manager.interrupt_kernel()
            while (reply := client.get_shell_msg(timeout=60))["parent_header"].get("msg_id") != asked:
                pass
            assert reply["content"].get("ename") == "KeyboardInterrupt", reply
            assert c.sweeps.wait(runs[0]["id"])["state"] == "cancelled"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
