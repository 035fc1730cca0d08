"""A server of one's own, for an archive that is a file."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from collections import deque
from typing import IO, Any

from . import errors
from ._sync import Client


def program() -> str:
    """The path of the command: $LADDERBACK_BIN, the one that was installed with this
    package, or the one on the path."""
    name = "ladderback.exe" if os.name == "nt" else "ladderback"
    beside = os.path.join(sysconfig.get_path("scripts"), name)
    for one in (os.environ.get("LADDERBACK_BIN"), beside, shutil.which(name)):
        if one and os.access(one, os.X_OK):
            return one
    raise errors.Error("the command ladderback is not installed: this package was installed without it")


class LocalClient(Client):
    """A client with the server behind it; close, or the end of the process, ends both."""

    def __init__(self, process: subprocess.Popen[str], base: str, key: str, **options: Any) -> None:
        super().__init__(base, key, **options)
        self._process = process
        atexit.register(self._end)

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._process.pid

    def close(self) -> None:
        super().close()
        atexit.unregister(self._end)
        self._end()

    def _end(self) -> None:
        _end(self._process)


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _dies_with_us() -> None:
    """On Linux the kernel ends the server when this process ends, however that happens."""
    import ctypes

    with contextlib.suppress(OSError):
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def _watch(errors_of: IO[str], said: deque[str], found: threading.Event) -> None:
    """Reads what the server says until it ends, so that it never waits for a reader."""
    for line in errors_of:
        said.append(line)
        if " on http" in line:
            found.set()
    found.set()


def local(*archives: str | os.PathLike[str], wait: float = 60, **options: Any) -> LocalClient:
    """Starts the program on archives, at a free port of this machine and with a key of its
    own, and returns a client of it when it is ready; options are those of Client.

    The server ends with the client or with this process.
    """
    for one in archives:
        if "://" not in os.fspath(one) and not os.path.exists(one):
            raise FileNotFoundError(f"no archive at {os.fspath(one)}")
    command = [program(), "serve", "--local-key", "--addr", "127.0.0.1:0", "--metrics-addr", "none"]
    for one in archives:
        command += ["--archive", os.fspath(one)]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        preexec_fn=_dies_with_us if sys.platform == "linux" else None,
        start_new_session=sys.platform != "win32",  # Ctrl-C is for the notebook
    )  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    said: deque[str] = deque(maxlen=50)
    found = threading.Event()
    threading.Thread(target=_watch, args=(process.stderr, said, found), daemon=True).start()
    try:
        key = process.stdout.readline().strip()
        if found.wait(wait) and key:
            for line in list(said):
                address = re.search(r" on (http://[^\s\"]+)", line)
                if address:
                    client = LocalClient(process, address[1], key, **options)
                    _until_ready(client, wait)
                    return client
        raise errors.Error("the server did not start: " + _reason(said))
    except BaseException:
        _end(process)
        raise


def _until_ready(client: Client, wait: float) -> None:
    end = time.monotonic() + wait
    while True:
        try:
            client.ready()
            return
        except errors.Error:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def _reason(said: deque[str]) -> str:
    lines = []
    for line in said:
        try:
            lines.append(str(json.loads(line)["msg"]))
        except (ValueError, KeyError, TypeError):
            lines.append(line.strip())
    return "; ".join(lines) or "it says nothing"
