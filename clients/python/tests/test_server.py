"""The client against a real server."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import PROMPT, TREE, World

import ladderback
from ladderback import _async, _sync

# The methods behind each operation of the document: of the client, or of its runs.
METHODS = {
    "listSeries": "series", "listEvents": "events", "listMarkets": "markets", "getMarket": "market", "getGaps": "gaps",
    "listTags": "tags", "getArchive": "archive", "usage": "usage", "conditions": "conditions", "health": "health",
    "healthz": "health", "readyz": "ready", "parse": "parse", "backtest": "backtest",
    "marketsHistoryPrices": "prices", "marketsHistoryBooks": "books", "marketsHistoryMetrics": "metrics",
    "marketsHistoryQuotes": "quotes", "tokenHistoryPrices": "prices", "tokenHistoryBooks": "books",
    "tokenHistoryQuotes": "quotes", "startRun": "Runs.start", "listRuns": "Runs.list", "getRun": "Runs.get",
    "forgetRun": "Runs.forget", "runEvents": "Runs.events", "cancelRun": "Runs.cancel", "retryRun": "Runs.retry",
    "explainTrade": "explain", "compareRuns": "compare", "shareRun": "share", "unshareRun": "unshare",
    "startSweep": "Runs.start", "listSweeps": "Runs.list", "getSweep": "Runs.get", "forgetSweep": "Runs.forget",
    "sweepEvents": "Runs.events", "cancelSweep": "Runs.cancel", "retrySweep": "Runs.retry", "getShared": "shared",
    "calibration": "calibration", "tries": "tries", "getSharedTrade": "shared_trade", "getSharedBooks": "shared_books",
}  # fmt: skip


def test_every_operation_has_a_method(world: World) -> None:
    document = httpx.get(world.base + "/openapi.json").json()
    found = {
        o["operationId"]
        for path, item in document["paths"].items()
        for o in item.values()
        if isinstance(o, dict) and "operationId" in o and not path.startswith("/app/")
    }
    assert found == set(METHODS)
    for name in METHODS.values():
        for client, runs in ((_sync.Client, _sync.Runs), (_async.AsyncClient, _async.AsyncRuns)):
            of, _, method = ("", "", name) if "." not in name else name.partition(".")
            assert callable(getattr(runs if of else client, method)), name


def test_what_there_is(client: ladderback.Client, world: World) -> None:
    assert client.health()["status"] == "ok"
    assert client.ready()["status"] == "ready"
    assert client.usage()["plan"] == "enterprise"
    assert client.archive()["rounds"][0]["coin"] == "BTC"
    assert "bitcoin" in client.tags("crypto")
    assert {c["type"] for c in client.conditions()["data"]} >= {"price", "spread"}
    prices = client.calibration("BTC", "5m", bands=2, times=2, winners="inferred")
    assert prices["options"]["bands"] == 2 and prices["sampled"] <= prices["universe"]
    listed = client.markets(include_closed=True, page_size=7, sort="start_date", order="asc").all()
    assert len(listed) >= 40 and len({m["id"] for m in listed}) == len(listed)
    assert sum(s["market_count"] for s in client.series()) == len(listed)
    slug = world.market["slug"]
    assert [e["slug"] for e in client.events(search=slug)] == [world.market["event_slug"]]
    assert client.market(world.market["id"]) == world.market
    assert isinstance(client.gaps(slug), list)
    with pytest.raises(ladderback.NotFound, match="market not found: nobody") as e:
        client.market("nobody")
    assert e.value.request_id
    with pytest.raises(ladderback.NoSuchRoute, match="older than this client"):
        client.get("/v1/tomorrow")
    with pytest.raises(ladderback.Invalid, match="limit") as invalid:
        client.markets(page_size=-1).all()
    assert invalid.value.detail[0]["loc"][-1] == "limit"


def flat(what: str, rows: list[Any]) -> list[tuple[Any, ...]]:
    """Rows by pages as rows of a frame."""
    if what != "books":
        return [tuple(r.values()) for r in rows]
    return [
        (b["t"], b["token_id"], b["label"], side, n, price, size)
        for b in rows
        for side in ("bid", "ask")
        for n, (price, size) in enumerate(b[side + "s"], 1)
    ]


@pytest.mark.parametrize("what", ["prices", "books", "quotes", "metrics"])
def test_frames_are_the_pages(client: ladderback.Client, world: World, what: str) -> None:
    slug, token = world.market["slug"], world.market["tokens"][0]["id"]
    histories = [getattr(client, what)(slug, resolution="5s", page_size=50)]
    if what != "metrics":
        window = {"start": world.market["start_date"], "end": world.market["end_date"]}
        histories.append(getattr(client, what)(token=token, resolution="5s", **window))
    for history in histories:
        pages = flat(what, history.all())
        assert len(pages) > 30
        frame = history.to_polars()
        assert frame.rows() == pages
        assert str(frame.schema["t"]) in ("Datetime(time_unit='us', time_zone='UTC')",)
        assert all(str(frame.schema[n]) == "Float64" for n in frame.columns if n in ("p", "bid", "price", "spread"))
        pandas = history.to_pandas()
        assert str(pandas.dtypes["t"]).startswith("datetime64[") and str(pandas.dtypes["t"]).endswith("UTC]")
        assert len(pandas) == len(pages) == history.to_arrow().num_rows
        assert next(iter(pandas.itertuples(index=False, name=None)))[0].to_pydatetime() == pages[0][0]


def test_save(client: ladderback.Client, world: World, tmp_path: Path) -> None:
    history = client.prices(world.market["slug"], resolution="1m")
    for ending, head in (("parquet", b"PAR1"), ("csv", b"t,token_id,label,p"), ("ndjson", b'{"t":"')):
        history.save(tmp_path / f"prices.{ending}")
        assert (tmp_path / f"prices.{ending}").read_bytes().startswith(head)
    with pytest.raises(ladderback.Error, match="format is one of"):
        history.save(tmp_path / "prices.xlsx")
    assert len(list(tmp_path.iterdir())) == 3, "nothing is left behind"
    with pytest.raises(ladderback.Error, match="start and an end"):
        client.prices(token=world.market["tokens"][0]["id"]).all()


def test_reading(client: ladderback.Client) -> None:
    reading = client.parse(PROMPT)
    assert reading.strategy["exit"]["take_profit"] == 0.6
    assert "<u title='exit.take_profit'>take profit at 60c</u>" in reading._repr_html_()
    with pytest.raises(ladderback.Refused) as e:
        client.parse("Buy Up on BTC 5m when bitcoin itself falls 2%")
    assert e.value.code == "unsupported_signal"
    assert [p["text"] for p in e.value.at] == ["bitcoin itself falls", "2%"]
    assert str(e.value).splitlines()[1].index("^") == e.value.at[0]["start"]
    assert "<pre>" in e.value._repr_html_()


def receipts(client: ladderback.Client, world: World, archive: str, program: str) -> dict[str, Any]:
    """The receipt of one backtest by each way to it."""
    out: dict[str, Any] = {}
    command = [program, "backtest", PROMPT, "--archive", archive, "--json"]
    out["command"] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["report"]["receipt"]
    headers = ["-H", f"Authorization: Bearer {world.key}", "--data", json.dumps({"prompt": PROMPT})]
    curl = subprocess.run(["curl", "-fsS", world.base + "/v1/ai/backtest", *headers], check=True, capture_output=True)
    out["curl"] = json.loads(curl.stdout)["report"]["receipt"]
    go = ["go", "run", "./client/testdata/receipt", world.base, world.key, PROMPT]
    out["go"] = json.loads(subprocess.run(go, check=True, capture_output=True, cwd=TREE).stdout)
    out["python"] = client.backtest(PROMPT).receipt
    out["python, of a strategy"] = client.backtest(client.parse(PROMPT).strategy).receipt

    async def one() -> Any:
        async with ladderback.AsyncClient(world.base, world.key) as c:
            return (await c.backtest(PROMPT, keep=False)).receipt

    out["async"] = asyncio.run(one())
    return out


def test_receipts_are_one(client: ladderback.Client, world: World, archive: str, program: str) -> None:
    found = receipts(client, world, archive, program)
    assert len(found) == 6
    assert all(r == found["command"] for r in found.values()), found


def test_backtest(client: ladderback.Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[int, int]] = []
    report = client.backtest(PROMPT, progress=lambda done, of: told.append((done, of)), options={"include": ["fills"]})
    assert told and told[-1][0] == told[-1][1]
    assert report.verdict == "not_enough_evidence" and report.words is not None
    trades = report.trades
    assert trades["pnl"].to_list() == [t["pnl"] for t in report.report["trades"]]
    assert str(trades.schema["entry_time"]) == "Datetime(time_unit='us', time_zone='UTC')"
    assert report.equity["pnl"].to_list() == report.report["equity_curve"]
    assert list(report.to_pandas()["number"]) == list(range(1, len(trades) + 1))
    html = report._repr_html_()
    assert report.words["headline"] in html.replace("&#x27;", "'") and report.words["tiles"][0]["name"] in html
    explained = report.explain(1)
    assert explained.trade["pnl"] == report.report["trades"][0]["pnl"]
    assert report.report["trades"][0]["market_slug"] in explained._repr_html_()
    other = client.backtest(PROMPT.replace("stop at 20c", "stop at 30c"), progress=True)
    assert "#" in capsys.readouterr().err
    compared = report.compare(other)
    assert not compared.same and compared.answer in compared._repr_html_()
    report.save(tmp_path / "report.html")
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")
    report.save(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8")) == report.body
    assert report.id is not None and client.report(report.id).receipt == report.receipt
    passing = client.backtest(PROMPT, keep=False)
    assert "not kept" in repr(passing) and passing.verdict in passing._repr_html_()
    with pytest.raises(ladderback.Error, match="keep=True"):
        passing.explain(1)


def test_runs(client: ladderback.Client, world: World) -> None:
    runs = client.backtests
    assert 0 < runs.estimate(PROMPT)["markets"] <= 20
    run = runs.start(PROMPT, once="one wish")
    assert runs.start(PROMPT, once="one wish")["id"] == run["id"]
    assert runs.wait(run["id"])["state"] == "done"
    assert [name for _, name, _ in runs.events(run["id"])][-1] == "result"
    assert run["id"] in {r["id"] for r in runs.list(page_size=1)}
    assert "<html" in runs.page(run["id"])
    link = client.share(run["id"])
    with ladderback.Client(world.base, "") as anybody:
        shared = anybody.shared(link["token"])
        assert anybody.shared_trade(link["token"], 1).raw["number"] == 1
        at = shared["result"]["report"]["trades"][0]["entry_time"]
        start = ladderback._core.instant(at).timestamp()
        assert anybody.shared_books(link["token"], 1, start - 2, start + 2)["resolution"] == "1s"
        client.unshare(run["id"])
        with pytest.raises(ladderback.NotFound):
            anybody.shared(link["token"])
    with pytest.raises(ladderback.ServerError, match="conflict"):
        runs.retry(run["id"])
    assert runs.cancel(run["id"])["state"] == "done", "it had ended"
    runs.forget(run["id"])
    with pytest.raises(ladderback.NotFound):
        runs.get(run["id"])
    sweep = client.sweep(PROMPT, ["exit.take_profit=0.55,0.6"])
    assert sweep["result"] is not None and len(sweep["result"]["sweep"]["variants"]) == 2
    looked = client.tries("BTC", "5m")["families"]
    assert [f["coin"] for f in looked] == ["BTC"] and sweep["result"]["sweep"]["tried"] >= 2
    work = client.sweeps.estimate(PROMPT, vary=["exit.take_profit=0.55,0.6"])
    assert work["replays"] > 2
    assert client.sweeps.estimate(PROMPT, vary="exit.take_profit=0.55,0.6") == work
    assert client.sweeps.estimate(PROMPT, vary={"take_profit": {"from": 0.55, "to": 0.6, "step": 0.05}}) == work


def test_async(world: World) -> None:
    async def all() -> None:
        async with ladderback.AsyncClient(world.base, world.key) as c:
            slug = world.market["slug"]
            one = await c.prices(slug, resolution="5s", page_size=20).all()
            assert len(one) > 60 and (await c.prices(slug, resolution="5s").to_polars()).height == len(one)
            assert [m["slug"] async for m in c.markets(slug, include_closed=True)] == [slug]
            report = await c.backtest(PROMPT)
            assert (await report.explain(1)).trade["pnl"] == report.report["trades"][0]["pnl"]
            waiting = asyncio.create_task(c.backtest(PROMPT, options={"seed": 5, "sampling": "random"}))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting

    asyncio.run(all())


def test_everything_was_checked(world: World) -> None:
    """The checks of requests and answers have seen what these tests asked for."""
    assert len(world.checked.seen) > 25, sorted(world.checked.seen)


def test_two_versions_agree() -> None:
    """The package has the version of the tree, and what is made of other files is current."""
    sys.path.insert(0, str(TREE / "clients" / "python" / "tools"))
    import generate

    assert (generate.PACKAGE / "_sync.py").read_text(encoding="utf-8") == generate.sync()
    text = (TREE / "clients" / "python" / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{ladderback.__version__}"' in text


def test_import_is_light() -> None:
    """The import reads none of the frames, nor httpx."""
    script = "import sys; import ladderback; ladderback.__version__\n"
    script += "print(*(m for m in ('pandas','polars','pyarrow','httpx') if m in sys.modules))"
    env = {**os.environ, "PYTHONPATH": str(TREE / "clients" / "python" / "src")}
    out = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, env=env)
    assert out.stdout.split() == []
