"""A real server for all tests, over real captures where they are at hand
($LADDERBACK_REAL_DATA, or a folder beside the tree), else over simulated ones. Whatever
goes over the wire is checked against the OpenAPI document."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

import httpx
import pytest
from openapi_core import Config, OpenAPI
from openapi_core.testing import MockRequest, MockResponse

import ladderback
from ladderback import _local

TREE = Path(__file__).resolve().parents[3]
PROMPT = (
    "Buy Up on BTC 5m when Up drops below 45 cents, take profit at 60c, stop at 20c, $20 per trade, last 20 markets"
)


def captures() -> Path | None:
    """The folder of real captures of BTC 5m, where there is one."""
    given = os.environ.get("LADDERBACK_REAL_DATA")
    folders = [Path(given)] if given else sorted(TREE.parent.glob("*/data"))
    found = [f / "polymarket-btc-5m" for f in folders if (f / "polymarket-btc-5m" / "markets.jsonl").exists()]
    return found[0] if found else None


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The command: $LADDERBACK_BIN, or one built of the tree."""
    if not os.environ.get("LADDERBACK_BIN"):
        built = str(tmp_path_factory.mktemp("bin") / "ladderback")
        subprocess.run(["go", "build", "-o", built, "./cmd/ladderback"], cwd=TREE, check=True)
        os.environ["LADDERBACK_BIN"] = built
    return _local.program()


@pytest.fixture(scope="session")
def toxiproxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of toxiproxy, built of the tree's modules."""
    built = str(tmp_path_factory.mktemp("toxiproxy") / "toxiproxy")
    subprocess.run(["go", "build", "-o", built, "github.com/Shopify/toxiproxy/v2/cmd/server"], cwd=TREE, check=True)
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = str(s.getsockname()[1])
    running = subprocess.Popen([built, "-host", "127.0.0.1", "-port", port], stderr=subprocess.DEVNULL)
    base = f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            httpx.get(base + "/version")
            break
        except httpx.TransportError:
            assert running.poll() is None
            time.sleep(0.05)
    yield base
    running.terminate()
    running.wait()


@pytest.fixture(scope="session")
def archive(program: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("archive") / "real.db")
    real = captures()
    if real:
        files = sorted(map(str, (real / "captures").glob("*.jsonl.gz")))
        command = [program, "import", "--archive", path, str(real / "markets.jsonl"), *files]
    else:
        command = [
            program,
            "simulate",
            "--quiet",
            "--markets",
            "40",
            "--coins",
            "BTC",
            "--types",
            "5m",
            "--archive",
            path,
        ]
    subprocess.run(command, check=True, capture_output=True)
    return path


class Checked:
    """Holds requests and answers to the document, closed: a field that it does not have is
    a fault."""

    def __init__(self, document: dict[str, Any]) -> None:
        closed = Config(additional_properties_default_policy="forbid")
        self.requests = OpenAPI.from_dict(document)
        self.answers = OpenAPI.from_dict(document, config=closed)
        self.seen: set[str] = set()

    def answer(self, response: httpx.Response, content: bytes) -> None:
        request = response.request
        if not request.url.path.startswith(("/v1/", "/healthz", "/readyz")) or response.status_code == 404:
            return
        asked = MockRequest(
            str(request.url.copy_with(path="/", query=None)).rstrip("/"), request.method, unquote(request.url.path),
            args=dict(parse_qsl(request.url.query.decode())),
            headers={"Authorization": "Bearer x", **{k: v for k, v in request.headers.items() if k != "authorization"}},
            data=request.content or None, content_type="application/json",
        )  # fmt: skip
        if response.status_code < 400:
            self.requests.validate_request(asked)
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if kind == "application/json":
            self.answers.validate_response(
                asked, MockResponse(content, response.status_code, dict(response.headers), content_type=kind)
            )
            self.seen.add(f"{request.method} {request.url.path}")


@dataclass
class World:
    base: str
    key: str = field(repr=False)
    checked: Checked = field(repr=False)
    market: dict[str, Any]


@pytest.fixture(scope="session")
def world(program: str, archive: str) -> Iterator[World]:
    with _local.local(archive) as server:
        signed = server._at.sign(httpx.Request("GET", server._at.base))
        key = signed.headers["Authorization"].removeprefix("Bearer ")
        document = httpx.get(server._at.base + "/openapi.json").json()
        document["servers"] = [{"url": server._at.base}]
        for item in server.markets(include_closed=True, sort="end_date"):
            market = server.market(item["slug"])
            if market["status"] == "resolved" and len(server.prices(market["slug"]).all()) > 300:
                yield World(server._at.base, key, Checked(document), dict(market))
                return
        raise AssertionError("no round was captured well")


@pytest.fixture
def client(world: World) -> Iterator[ladderback.Client]:
    with ladderback.Client(world.base, world.key) as c:

        def check(response: httpx.Response) -> None:
            if response.headers.get("Content-Type", "").startswith("application/json"):
                world.checked.answer(response, response.read())

        c._http.event_hooks = {"response": [check]}
        yield c
