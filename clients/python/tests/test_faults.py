"""What goes wrong on the way: through a proxy of these tests, which cuts, slows and changes
answers of the real server, and behind servers that are not ours."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import PROMPT, TREE, World

import ladderback
from ladderback import _local

SECRET = "lb_secret_that_nobody_sees"


class Proxy:
    """toxiproxy before a server, spoiling what the server says in one way at a time."""

    def __init__(self, control: str, to: str) -> None:
        self.http = httpx.Client(base_url=control)
        self.at, self.to, self.listen = f"/proxies/{to}", to, "127.0.0.1:0"
        self.begin()
        self.base = "http://" + self.listen

    def begin(self) -> None:
        made = self.http.post("/proxies", json={"name": self.to, "listen": self.listen, "upstream": self.to})
        self.listen = made.raise_for_status().json()["listen"]

    def spoil(self, kind: str, **attributes: int) -> None:
        """No kind: nothing is spoilt any more. It is a new proxy at the same address: taking one
        way out of a proxy whose connections are just ending may never return."""
        self.http.delete(self.at).raise_for_status()
        self.begin()
        if kind:
            toxic = {"name": "toxic", "type": kind, "stream": "downstream", "attributes": attributes}
            self.http.post(self.at + "/toxics", json=toxic).raise_for_status()

    def close(self) -> None:
        self.http.delete(self.at)
        self.http.close()


@pytest.fixture
def proxy(world: World, toxiproxy: str) -> Iterator[Proxy]:
    p = Proxy(toxiproxy, world.base.removeprefix("http://"))
    yield p
    p.close()


class Wire(httpx.HTTPTransport):
    """Counts connections, each of which is for one request, and the bytes of their answers."""

    def __init__(self) -> None:
        super().__init__(limits=httpx.Limits(max_keepalive_connections=0))
        self.requests = self.read = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        answer = super().handle_request(request)
        head = sum(len(k) + len(v) + 4 for k, v in answer.headers.raw) + len("HTTP/1.1 200 OK\r\n\r\n")
        inner, wire = answer.stream, self

        class Counted(httpx.SyncByteStream):
            def __iter__(self) -> Iterator[bytes]:
                wire.read += head
                for piece in inner:  # type: ignore[union-attr]
                    wire.read += len(piece)
                    yield piece

            def close(self) -> None:
                inner.close()  # type: ignore[union-attr]

        answer.stream = Counted()
        return answer


Answer = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture
def serve() -> Iterator[Callable[..., tuple[ladderback.Client, list[dict[str, str]]]]]:
    """Starts servers that give one answer after the other, the last for ever."""
    servers = []

    def start(*answers: Answer, **options: Any) -> tuple[ladderback.Client, list[dict[str, str]]]:
        asked: list[dict[str, str]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(dict(self.headers))
                length = int(self.headers.get("Content-Length", 0))
                self.rfile.read(length)
                answers[min(len(asked), len(answers)) - 1](self)

            do_POST = do_GET

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = {"tries": 3, "longest": 2, **options}
        return ladderback.Client(f"http://127.0.0.1:{server.server_port}", SECRET, **options), asked

    yield start
    for s in servers:
        s.shutdown()


def says(status: int, body: str, **headers: str) -> Answer:
    def answer(h: BaseHTTPRequestHandler) -> None:
        h.send_response(status)
        for name, value in headers.items():
            h.send_header(name.replace("_", "-"), value)
        h.send_header("Content-Length", str(len(body.encode())))
        h.end_headers()
        h.wfile.write(body.encode())

    return answer


def broken(h: BaseHTTPRequestHandler) -> None:
    h.connection.shutdown(socket.SHUT_RDWR)


FINE = says(200, '{"plan":"pro","colour":"blue"}', Content_Type="application/json")
LATER = '{"error":"rate_limited","message":"too many"}'


def test_what_is_refused_for_now_is_asked_again(serve: Any) -> None:
    c, asked = serve(says(429, LATER), says(503, LATER, Retry_After="1"), FINE)
    began = time.monotonic()
    assert c.usage()["plan"] == "pro"
    assert len(asked) == 3 and time.monotonic() - began > 1
    c, asked = serve(says(429, LATER, Retry_After="3600"))  # the day's quota
    with pytest.raises(ladderback.RateLimited) as e:
        c.usage()
    assert e.value.retry_after == 3600 and len(asked) == 1
    c, asked = serve(says(429, LATER))
    with pytest.raises(ladderback.RateLimited, match="rate_limited: too many"):
        c.usage()
    assert len(asked) == 3


def test_what_broke_is_asked_again_where_nothing_can_be_done_twice(serve: Any) -> None:
    c, asked = serve(broken, FINE)
    assert c.usage()["plan"] == "pro" and len(asked) == 2
    c, asked = serve(broken, says(202, '{"id":"run_1","state":"done","error":null}'))
    assert c.backtests.start(PROMPT)["id"] == "run_1"
    assert len({a["Idempotency-Key"] for a in asked}) == 1 and len(asked) == 2
    c, asked = serve(broken, FINE)
    with pytest.raises(ladderback.ConnectionFault):
        c.backtest(PROMPT, keep=False)  # nobody knows whether it has begun
    assert len(asked) == 1


def test_a_cut_is_an_error(world: World, proxy: Proxy) -> None:
    """Wherever an answer is cut: in its head, in mid-page, in mid-bulk, in mid-stream, near its
    end; and one that drips is whole."""
    slug, window = world.market["slug"], (world.market["start_date"], world.market["end_date"])
    wire = Wire()
    c = ladderback.Client(proxy.base, world.key, tries=2)
    c._http = httpx.Client(transport=wire, auth=c._at.sign, timeout=60)
    asks: list[Callable[[], object]] = [
        lambda: c.books(slug, *window).read("parquet"),
        lambda: c.books(slug, *window).read("ndjson"),
        lambda: c.books(slug, *window).read("csv"),
        lambda: c.books(slug, *window).to_polars().rows(),
        lambda: c.books(slug, *window, resolution="1m").all(),
        lambda: c.backtest(PROMPT, keep=False).receipt,
        lambda: c.parse(PROMPT).strategy,
    ]
    for ask in asks:
        wire.read = wire.requests = 0
        whole = ask()
        requests, size = wire.requests, wire.read
        assert requests == 1 and size > 200
        for cut in (1, 100, size // 2, size - 10):
            proxy.spoil("limit_data", bytes=cut)
            wire.requests = 0
            with pytest.raises(ladderback.ConnectionFault):
                ask()
            assert wire.requests <= 2, "no more than two tries"
        proxy.spoil("slicer", average_size=4096, size_variation=0, delay=100)
        assert ask() == whole, "what drips is whole"
        proxy.spoil("")


def test_what_hangs_and_comes_back(world: World, proxy: Proxy) -> None:
    proxy.spoil("timeout", timeout=0)
    with ladderback.Client(proxy.base, world.key, tries=1, timeout=0.3) as c, pytest.raises(ladderback.ConnectionFault):
        c.usage()
    proxy.spoil("")
    proxy.http.post(proxy.at, json={"enabled": False}).raise_for_status()
    threading.Timer(0.1, lambda: proxy.http.post(proxy.at, json={"enabled": True})).start()
    with ladderback.Client(proxy.base, world.key, tries=10) as c:
        assert c.usage()["plan"] == "enterprise"


def test_others_answer(serve: Any) -> None:
    c, _ = serve(says(502, "<html>Bad gateway</html>", Content_Type="text/html"))
    with pytest.raises(ladderback.ServerError, match="502 without saying why in JSON"):
        c.usage()
    c, _ = serve(says(200, "<html>Sign in to the hotel</html>", Content_Type="text/html"))
    with pytest.raises(ladderback.ConnectionFault, match="not JSON"):
        c.usage()
    c, _ = serve(says(404, '{"error":"not_found","message":"no such route: /v1/archive"}'))
    with pytest.raises(ladderback.NoSuchRoute, match="older than this client"):
        c.archive()


def test_the_key_stays(serve: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    other, told = serve(FINE)
    c, asked = serve(says(307, "", Location=other._at.base + "/v1/usage"))
    with pytest.raises(ladderback.ConnectionFault, match="leads to another"):
        c.usage()
    assert told == [] and len(asked) == 1
    c, asked = serve(says(307, "", Location="/v1/usage"), FINE)
    assert c.usage()["plan"] == "pro", "on one host it is followed"
    assert all(a["Authorization"] == "Bearer " + SECRET for a in asked)
    assert asked[0]["User-Agent"].startswith(f"ladderback-python/{ladderback.__version__}")
    texts = [repr(c), str(c.__dict__), repr(vars(c._at)), caplog.text]
    for answer in (says(401, '{"error":"unauthorized","message":"no"}'), broken, says(500, "")):
        failing, _ = serve(answer, tries=1)
        try:
            failing.usage()
        except ladderback.Error as e:
            inner = [f for f, _ in traceback.walk_tb(e.__traceback__) if "/tests/" not in f.f_code.co_filename]
            assert inner
            texts += [repr(e), str(e), str(e.__dict__), *(str(f.f_locals) for f in inner)]
    assert not [t for t in texts if SECRET in t]
    with pytest.raises(ladderback.Error, match="must not hold a password"):
        ladderback.Client("http://me:" + SECRET + "@127.0.0.1")


def test_giving_up_ends_the_run(world: World) -> None:
    """Ctrl-C while a notebook waits, and a task that is cancelled."""
    long = {"include": ["sensitivity"], "sampling": "random", "seed": 77}
    c = ladderback.Client(world.base, world.key)

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        c.backtest(PROMPT, options=long, progress=interrupt)
    newest = next(iter(c.backtests.list(page_size=1)))
    assert c.backtests.wait(newest["id"])["state"] in ("cancelled", "done")

    async def cancelled() -> list[str]:
        called: list[str] = []
        async with ladderback.AsyncClient(world.base, world.key) as a:
            inner = a._send

            async def send(call: Any, stream: bool = False) -> Any:
                called.append(f"{call.method} {call.path.rpartition('/')[2]}")
                return await inner(call, stream)

            a._send = send  # type: ignore[method-assign]
            task = asyncio.create_task(a.backtest(PROMPT, options={**long, "seed": 78}))
            while len(called) < 2:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        return called

    called = asyncio.run(cancelled())
    assert called[0] == "POST backtests" and called[-1] == "POST cancel", called


def test_local(archive: str) -> None:
    with _local.local(archive) as c:
        assert c.ready()["status"] == "ready" and repr(c).startswith("<ladderback.LocalClient of http://127.0.0.1:")
        pid = c.pid
    assert c._process.poll() is not None and not Path(f"/proc/{pid}/task").exists()
    with pytest.raises(FileNotFoundError, match=r"no archive at nowhere\.db"):
        _local.local("nowhere.db")
    with pytest.raises(ladderback.Error, match=r"the server did not start: .+"):
        _local.local(__file__)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends it on Linux alone")
def test_local_ends_with_its_process(archive: str) -> None:
    script = f"import ladderback, time; c = ladderback.local({archive!r}); print(c.pid, flush=True); time.sleep(60)"
    env = {**os.environ, "PYTHONPATH": str(TREE / "clients" / "python" / "src")}
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=env)
    assert child.stdout is not None
    server = int(child.stdout.readline())
    os.kill(server, 0)
    child.send_signal(signal.SIGKILL)
    child.wait()
    end = time.monotonic() + 20
    while Path(f"/proc/{server}").exists() and "Z" not in Path(f"/proc/{server}/stat").read_text().split()[2]:
        assert time.monotonic() < end, "the server goes on"
        time.sleep(0.05)
