"""The client, with async and await. tools/generate.py makes _sync.py of this module."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import uuid
from collections.abc import AsyncIterator, Iterable, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import httpx

from . import _core, _frames, errors
from ._core import EVENTS, FORMATS, Bar, Call, Progress, Time, Vary, What, below, query
from ._results import Comparison, Explanation, Reading, ReportBase

if TYPE_CHECKING:
    from types import TracebackType

    import pandas
    import polars
    import pyarrow

    from . import types as t

T = TypeVar("T")
C = TypeVar("C", bound="AsyncClient")


class AsyncItems(Generic[T]):
    """The items of a list, page after page as they are asked for."""

    def __init__(self, client: AsyncClient, path: str, query: Mapping[str, Any]) -> None:
        self._client, self._path, self._query = client, path, query

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self._client._pages(self._path, self._query):
            for one in page["data"]:
                yield one

    async def all(self) -> list[T]:
        """All of them."""
        return [one async for one in self]


class AsyncHistory(Generic[T]):
    """A window of the history of a market or of a token: rows in order of time, page after
    page as they are asked for, or all at once as a frame."""

    def __init__(self, client: AsyncClient, what: What, path: str, market: str | None, window: dict[str, Any]) -> None:
        self._client, self._what, self._path, self._market, self._window = client, what, path, market, window

    async def _query(self) -> dict[str, Any]:
        """The parameters; a window that was left open is the market's own."""
        if "start_ts" not in self._window or "end_ts" not in self._window:
            if self._market is None:
                raise errors.Error("the history of a token needs a start and an end")
            market = await self._client.market(self._market)
            if market["start_date"] is None or market["end_date"] is None:
                raise errors.Error(f"{self._market} has no dates of its own: give start and end")
            self._window.setdefault("start_ts", market["start_date"])
            self._window.setdefault("end_ts", market["end_date"])
        return self._window

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self._client._pages(self._path, await self._query()):
            for row in _core.rows(self._what, page):
                yield cast(T, row)

    async def all(self) -> list[T]:
        """All rows."""
        return [row async for row in self]

    async def chunks(self, format: str = "parquet") -> AsyncIterator[bytes]:
        """The whole window as parquet, ndjson or csv, piece by piece. An answer that is cut
        is an error, never a short one."""
        if format not in FORMATS:
            raise errors.Error(f"format is one of {', '.join(FORMATS)}, not {format}")
        window = {k: v for k, v in (await self._query()).items() if k != "limit"}
        call = Call("GET", self._path, window, accept=FORMATS[format])
        answer = await self._client._send(call, stream=True)
        last = b""
        try:
            async for piece in answer.aiter_bytes():
                last = (last + piece)[-4:]
                yield piece
        except httpx.HTTPError as e:
            raise self._client._at.fault(call, e) from None
        finally:
            await answer.aclose()
        if format == "parquet" and last != b"PAR1":
            raise errors.ConnectionFault(f"{call.method} {call.path}: the answer is cut")

    async def read(self, format: str = "parquet") -> bytes:
        """The whole window as parquet, ndjson or csv."""
        return b"".join([piece async for piece in self.chunks(format)])

    async def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the whole window to a file, whose ending names the format. A file that
        cannot be written whole is not left behind."""
        name = os.fspath(path)
        part = f"{name}.{uuid.uuid4().hex[:8]}.part"
        try:
            with open(part, "wb") as f:
                async for piece in self.chunks(os.path.splitext(name)[1].lstrip(".")):
                    f.write(piece)
            os.replace(part, name)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.remove(part)

    async def to_arrow(self) -> pyarrow.Table:
        """The whole window as a table, by the Parquet answer."""
        return cast("pyarrow.Table", _frames.arrow(BytesIO(await self.read())))

    async def to_pandas(self) -> pandas.DataFrame:
        """The whole window as a frame, by the Parquet answer."""
        return cast("pandas.DataFrame", _frames.pandas(BytesIO(await self.read())))

    async def to_polars(self) -> polars.DataFrame:
        """The whole window as a frame, by the Parquet answer."""
        return cast("polars.DataFrame", _frames.polars(BytesIO(await self.read())))


class AsyncReport(ReportBase):
    """A backtest that is done: in a notebook, the words and numbers of the page."""

    def __init__(self, client: AsyncClient, body: t.Backtest, run: t.RunWithResult | None = None) -> None:
        super().__init__(body, run)
        self._client = client

    def _kept(self) -> str:
        if self.id is None:
            raise errors.Error("this backtest is not kept by the server: run it with keep=True")
        return self.id

    async def explain(self, trade: int) -> Explanation:
        """Why a trade was made as it was, by its number from 1."""
        return await self._client.explain(self._kept(), trade)

    async def compare(self, other: AsyncReport | str) -> Comparison:
        """What differs between this backtest, A, and another, B, and which is better."""
        return await self._client.compare(self._kept(), other if isinstance(other, str) else other._kept())

    async def page(self) -> str:
        """The report as one page of HTML that needs nothing else."""
        return await self._client.backtests.page(self._kept())

    async def share(self) -> t.Share:
        """A link to the backtest, which anybody may read."""
        return await self._client.share(self._kept())

    async def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the report: its page for .html, else its JSON."""
        if os.fspath(path).endswith((".html", ".htm")):
            text = await self.page()
        else:
            text = json.dumps(self.body, ensure_ascii=False, indent=1) + "\n"
        with open(path, "w", encoding="utf-8", newline="\n") as f:
            f.write(text)


R = TypeVar("R")
D = TypeVar("D")


class AsyncRuns(Generic[R, D]):
    """The backtests that a server keeps, or its sweeps."""

    def __init__(self, client: AsyncClient, name: str) -> None:
        self._client, self._name = client, name

    def _call(self, method: str, *parts: str, **more: Any) -> Call:
        return Call(method, below("ai", self._name, *parts), **more)

    async def start(
        self,
        prompt: str | Mapping[str, Any],
        *,
        vary: Vary | None = None,
        sample_size: int | None = None,
        budget: float | None = None,
        options: Mapping[str, Any] | None = None,
        once: str | None = None,
    ) -> R:
        """Asks for a run of a prompt or of a strategy, which the server makes behind the
        answer. once names the wish: asked for twice it is one run; without it the client
        makes a name, so that a request that may be lost is sent again."""
        body = _core.wish(prompt, sample_size, budget, options)
        if vary is not None:
            body["vary"] = _core.varied(vary)
        headers = {"Idempotency-Key": once or uuid.uuid4().hex}
        return cast(R, await self._client._ask(self._call("POST", body=body, headers=headers)))

    async def estimate(
        self,
        prompt: str | Mapping[str, Any],
        *,
        vary: Vary | None = None,
        sample_size: int | None = None,
        budget: float | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> t.Estimate:
        """How much work a run would be."""
        body = _core.wish(prompt, sample_size, budget, options)
        if vary is not None:
            body["vary"] = _core.varied(vary)
        call = self._call("POST", query={"dry_run": "true"}, body=body)
        return cast("t.Estimate", await self._client._ask(call))

    def list(
        self,
        *,
        search: str | None = None,
        coin: str | None = None,
        market_type: str | None = None,
        verdict: str | None = None,
        state: str | None = None,
        page_size: int | None = None,
    ) -> AsyncItems[R]:
        """Runs without their results, newest first."""
        asked = query(search=search, coin=coin, market_type=market_type, verdict=verdict, state=state, limit=page_size)
        return AsyncItems(self._client, below("ai", self._name), asked)

    async def get(self, id: str, *, wait: str | None = None) -> D:
        """A run, at once or, with wait such as 20s, when it has ended or after that time."""
        return cast(D, await self._client._ask(self._call("GET", id, query=query(wait=wait))))

    async def wait(self, id: str, *, progress: Progress = False) -> D:
        """A run when it has ended. Whoever stops waiting leaves it running."""
        bar = Bar(progress)
        try:
            if progress:
                with contextlib.suppress(errors.ConnectionFault):  # what became of it says the run itself
                    async for _, name, data in self.events(id):
                        if name == "progress":
                            bar.set(data["done"], data["total"], data.get("phase", ""))
            while True:
                run = await self.get(id, wait="20s")
                state = cast("dict[str, Any]", run)
                if state["state"] in ("done", "failed", "cancelled"):
                    bar.set(state["done"], state["total"], state["phase"])
                    return run
        finally:
            bar.end()

    async def events(self, id: str, *, after: str | None = None) -> AsyncIterator[tuple[str, str, Any]]:
        """What becomes of a run: the id, name and data of each message, from the one after
        an id (None: the first)."""
        headers = {"Last-Event-ID": after} if after else {}
        async for message in self._client._messages(self._call("GET", id, "events", accept=EVENTS, headers=headers)):
            yield message

    async def cancel(self, id: str) -> R:
        """Ends a run."""
        return cast(R, await self._client._ask(self._call("POST", id, "cancel")))

    async def retry(self, id: str) -> R:
        """Goes on with a failed run, from what was done."""
        return cast(R, await self._client._ask(self._call("POST", id, "retry", again=False)))

    async def forget(self, id: str) -> None:
        """Removes a run and its result."""
        await self._client._send(self._call("DELETE", id))

    async def page(self, id: str) -> str:
        """A backtest that is done as one page of HTML that needs nothing else."""
        return (await self._client._send(self._call("GET", id, accept="text/html"))).text


class AsyncClient:
    """Asks one server with one key.

    base and key are $LADDERBACK_URL (else http://127.0.0.1:8080) and $LADDERBACK_API_KEY
    where they are left out. What the server refuses for now is asked for up to tries times,
    with no more than longest seconds between two; a connection that breaks is tried again
    only where nothing can be done twice. timeout is how many seconds nothing may come.
    """

    def __init__(
        self,
        base: str | None = None,
        key: str | None = None,
        *,
        tries: int = 4,
        longest: float = 30,
        timeout: float = 60,
        user_agent: str | None = None,
    ) -> None:
        self._at = _core.Connection(base, key, tries, longest, user_agent)
        self._http = httpx.AsyncClient(
            auth=self._at.sign, timeout=httpx.Timeout(timeout, connect=min(10, timeout)), follow_redirects=False
        )

    def __repr__(self) -> str:
        return f"<ladderback.{type(self).__name__} of {self._at.base}>"

    async def __aenter__(self: C) -> C:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, e: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Ends the client's connections."""
        await self._http.aclose()

    async def _send(self, call: Call, stream: bool = False) -> httpx.Response:
        """Sends a call until it is answered; an answer that refuses is raised."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._once(call, stream)
            except (errors.ServerError, httpx.HTTPError) as e:
                wait = self._at.pause(attempt, e, call)
                if wait is None:
                    if isinstance(e, httpx.HTTPError):
                        raise self._at.fault(call, e) from None
                    raise
            await asyncio.sleep(wait)

    async def _once(self, call: Call, stream: bool) -> httpx.Response:
        url, params, hops = self._at.url(call.path), dict(call.query) or None, 0
        while True:
            request = self._http.build_request(
                call.method, url, params=params, json=call.body, headers=self._at.headers(call)
            )
            answer = await self._http.send(request, stream=stream)
            if answer.status_code < 300:
                return answer
            hops += 1
            try:
                to = self._at.leads(call, answer, hops)
                if to is None:
                    await answer.aread()
                    raise self._at.error(call, answer)
            finally:
                await answer.aclose()
            url, params = to, None

    async def _ask(self, call: Call) -> Any:
        return _core.read(call, (await self._send(call)).content)

    async def _pages(self, path: str, query: Mapping[str, Any]) -> AsyncIterator[Any]:
        asked = dict(query)
        while True:
            page = await self._ask(Call("GET", path, asked))
            yield page
            asked["cursor"] = page["metadata"]["next_cursor"]
            if asked["cursor"] is None:
                return

    async def _messages(self, call: Call) -> AsyncIterator[tuple[str, str, Any]]:
        """The messages of a stream; one that says error, or a stream that is cut, is raised."""
        answer = await self._send(call, stream=True)
        reader, name = _core.Messages(), ""
        try:
            async for line in answer.aiter_lines():
                message = reader.line(line)
                if message is None:
                    continue
                name = message[1]
                if name == "error":
                    raise errors.of_answer(
                        answer.status_code,
                        message[2],
                        self._at.host,
                        answer.headers.get("X-Request-Id", ""),
                        0,
                        call.prompt,
                    )
                yield message
        except httpx.HTTPError as e:
            raise self._at.fault(call, e) from None
        finally:
            await answer.aclose()
        if name != "result":
            raise errors.ConnectionFault(f"{call.method} {call.path}: the stream is cut")

    # What there is.

    def series(
        self,
        *,
        search: str | None = None,
        category: t.Category | None = None,
        tags: Iterable[str] = (),
        tags_match: str | None = None,
        start_date_min: Time | None = None,
        start_date_max: Time | None = None,
        end_date_min: Time | None = None,
        end_date_max: Time | None = None,
        sort: str | None = None,
        order: str | None = None,
        page_size: int | None = None,
    ) -> AsyncItems[t.Series]:
        """Recurring questions."""
        asked = query(
            search=search, category=category, tags=tuple(tags), tags_match=tags_match,
            start_date_min=start_date_min, start_date_max=start_date_max,
            end_date_min=end_date_min, end_date_max=end_date_max, sort=sort, order=order, limit=page_size,
        )  # fmt: skip
        return AsyncItems(self, below("series"), asked)

    def events(
        self,
        *,
        search: str | None = None,
        category: t.Category | None = None,
        tags: Iterable[str] = (),
        tags_match: str | None = None,
        start_date_min: Time | None = None,
        start_date_max: Time | None = None,
        end_date_min: Time | None = None,
        end_date_max: Time | None = None,
        series_id: str | None = None,
        series_slug: str | None = None,
        include_closed: bool | None = None,
        sort: str | None = None,
        order: str | None = None,
        page_size: int | None = None,
    ) -> AsyncItems[t.Event]:
        """Markets that are decided together; closed ones too, unless include_closed is False."""
        asked = query(
            search=search, category=category, tags=tuple(tags), tags_match=tags_match,
            start_date_min=start_date_min, start_date_max=start_date_max,
            end_date_min=end_date_min, end_date_max=end_date_max, series_id=series_id, series_slug=series_slug,
            include_closed=include_closed, sort=sort, order=order, limit=page_size,
        )  # fmt: skip
        return AsyncItems(self, below("events"), asked)

    def markets(
        self,
        search: str | None = None,
        *,
        category: t.Category | None = None,
        tags: Iterable[str] = (),
        tags_match: str | None = None,
        start_date_min: Time | None = None,
        start_date_max: Time | None = None,
        end_date_min: Time | None = None,
        end_date_max: Time | None = None,
        event_id: str | None = None,
        event_slug: str | None = None,
        series_slug: str | None = None,
        include_closed: bool | None = None,
        sort: str | None = None,
        order: str | None = None,
        page_size: int | None = None,
    ) -> AsyncItems[t.MarketItem]:
        """Markets; only open ones, unless include_closed is True."""
        asked = query(
            search=search, category=category, tags=tuple(tags), tags_match=tags_match,
            start_date_min=start_date_min, start_date_max=start_date_max,
            end_date_min=end_date_min, end_date_max=end_date_max,
            event_id=event_id, event_slug=event_slug, series_slug=series_slug,
            include_closed=include_closed, sort=sort, order=order, limit=page_size,
        )  # fmt: skip
        return AsyncItems(self, below("markets"), asked)

    async def market(self, id: str) -> t.Market:
        """A market by its id or slug."""
        return cast("t.Market", await self.get(below("markets", id)))

    async def gaps(self, id: str) -> list[t.Gap]:
        """What the sources of a market missed."""
        return cast("list[t.Gap]", (await self.get(below("markets", id, "gaps")))["data"])

    async def tags(self, category: t.Category | None = None) -> list[str]:
        """All tags in use, in order."""
        return cast("list[str]", (await self.get(below("tags"), category=category))["data"])

    async def archive(self, category: t.Category | None = None) -> t.Archive:
        """What the server holds, with the rounds that backtests may replay."""
        return cast("t.Archive", await self.get(below("archive"), category=category, rounds=True))

    async def usage(self) -> t.Usage:
        """What the key may do, and has left."""
        return cast("t.Usage", await self.get(below("usage")))

    async def conditions(self) -> t.ConditionList:
        """The quantities that conditions may test: of an entry (data), and of orders."""
        return cast("t.ConditionList", await self.get(below("ai", "conditions")))

    async def calibration(
        self,
        coin: str,
        market_type: str,
        *,
        start: Time | None = None,
        end: Time | None = None,
        winners: t.Winners | None = None,
        last: int | None = None,
        bands: int | None = None,
        times: int | None = None,
    ) -> t.Calibration:
        """Prices against outcomes: how often Up came true by price and time left, of every
        round of a coin and length that ends from start up to end, the newest of them."""
        parameters = {"coin": coin, "market_type": market_type, "from": start, "to": end}
        parameters |= {"winners": winners, "last": last, "bands": bands, "times": times}
        return cast("t.Calibration", await self.get(below("ai", "calibration"), **parameters))

    async def tries(self, coin: str | None = None, market_type: str | None = None) -> t.TriesRecord:
        """What the key's organization tried on rounds, of one coin and length or of all, what
        was reset, and which rounds are held out."""
        return cast("t.TriesRecord", await self.get(below("ai", "tries"), coin=coin, market_type=market_type))

    async def health(self) -> t.Health:
        """Whether the server answers."""
        return cast("t.Health", await self.get(below("health")))

    async def ready(self) -> t.Health:
        """Whether the server can answer questions about its archive."""
        return cast("t.Health", await self.get("/readyz"))

    async def get(self, path: str, **parameters: Any) -> Any:
        """What is at a path of the API as it stands: for routes that this version has no
        name for."""
        return await self._ask(Call("GET", path, query(**parameters)))

    # History.

    def _history(
        self, what: What, market: str | None, token: str | None, start: Time | None, end: Time | None, resolution: str,
        page_size: int | None,
    ) -> AsyncHistory[Any]:  # fmt: skip
        if (market is None) == (token is None):
            raise errors.Error("give either a market or a token")
        path = below("tokens", token, what) if market is None else below("markets", market, what)
        window = query(
            start_ts=None if start is None else _core.moment(start), end_ts=None if end is None else _core.moment(end),
            resolution=resolution, limit=page_size,
        )  # fmt: skip
        return AsyncHistory(self, what, path, market, window)

    def prices(
        self,
        market: str | None = None,
        start: Time | None = None,
        end: Time | None = None,
        resolution: str = "1s",
        *,
        token: str | None = None,
        page_size: int | None = None,
    ) -> AsyncHistory[_core.PriceRow]:
        """Prices of the tokens of a market (its id or slug), or of one token, from start up
        to end; left out, they are the market's own."""
        return self._history("prices", market, token, start, end, resolution, page_size)

    def books(
        self,
        market: str | None = None,
        start: Time | None = None,
        end: Time | None = None,
        resolution: str = "1s",
        *,
        token: str | None = None,
        page_size: int | None = None,
    ) -> AsyncHistory[_core.BookRow]:
        """Order books, as prices. A frame has a row for each level."""
        return self._history("books", market, token, start, end, resolution, page_size)

    def quotes(
        self,
        market: str | None = None,
        start: Time | None = None,
        end: Time | None = None,
        resolution: str = "1s",
        *,
        token: str | None = None,
        page_size: int | None = None,
    ) -> AsyncHistory[_core.QuoteRow]:
        """Best bids and asks, as prices."""
        return self._history("quotes", market, token, start, end, resolution, page_size)

    def metrics(
        self,
        market: str,
        start: Time | None = None,
        end: Time | None = None,
        resolution: str = "1s",
        *,
        page_size: int | None = None,
    ) -> AsyncHistory[_core.MetricsRow]:
        """Liquidity, spread and volume of a market, as prices."""
        return self._history("metrics", market, None, start, end, resolution, page_size)

    # Strategies.

    async def parse(
        self, text: str, *, sample_size: int | None = None, budget: float | None = None, parser: str | None = None
    ) -> Reading:
        """How a prompt is understood, without running it. A refused one raises Refused."""
        body = query(prompt=text, sampleSize=sample_size, budget=budget, parser=parser)
        return Reading(cast("t.Parsed", await self._ask(Call("POST", below("ai", "parse"), body=body))))

    @property
    def backtests(self) -> AsyncRuns[t.Run, t.RunWithResult]:
        """The backtests that the server keeps."""
        return AsyncRuns(self, "backtests")

    @property
    def sweeps(self) -> AsyncRuns[t.SweepRun, t.SweepWithResult]:
        """The sweeps that the server keeps."""
        return AsyncRuns(self, "sweeps")

    async def backtest(
        self,
        prompt: str | Mapping[str, Any],
        *,
        sample_size: int | None = None,
        budget: float | None = None,
        options: Mapping[str, Any] | None = None,
        progress: Progress = False,
        keep: bool = True,
    ) -> AsyncReport:
        """Runs a prompt or a strategy and waits for its report.

        progress draws a bar on the standard error, or is a function of the rounds that are
        done and of all. keep leaves the run with the server, which trades are explained and
        backtests compared by. Whoever stops waiting, as by Ctrl-C, ends the run.
        """
        if not keep:
            return await self._passing(_core.wish(prompt, sample_size, budget, options), Bar(progress))
        run = await self.backtests.start(prompt, sample_size=sample_size, budget=budget, options=options)
        ended = await self._ended(self.backtests, run["id"], progress)
        return AsyncReport(self, cast("t.Backtest", ended["result"]), ended)

    async def _ended(self, runs: AsyncRuns[Any, Any], id: str, progress: Progress) -> Any:
        """A run that is done; it is cancelled when the waiting is given up."""
        try:
            run = await runs.wait(id, progress=progress)
        except BaseException:
            with contextlib.suppress(Exception):
                await runs.cancel(id)
            raise
        if run["state"] != "done":
            raise errors.RunFailed(run)
        return run

    async def _passing(self, body: Mapping[str, Any], bar: Bar) -> AsyncReport:
        """A backtest that the server does not keep."""
        call = Call("POST", below("ai", "backtest"), body=body, accept=EVENTS, again=False)
        result: Any = None
        try:
            async for _, name, data in self._messages(call):
                if name == "progress":
                    bar.set(data["done"], data["total"])
                elif name == "result":
                    result = data
        finally:
            bar.end()
        return AsyncReport(self, cast("t.Backtest", result))

    async def sweep(
        self,
        prompt: str | Mapping[str, Any],
        vary: Vary,
        *,
        sample_size: int | None = None,
        budget: float | None = None,
        options: Mapping[str, Any] | None = None,
        progress: Progress = False,
    ) -> t.SweepWithResult:
        """Runs every variant of a strategy, such as vary=["entry.0.threshold=0.3:0.4:0.05"]
        or vary={"take_profit": [0.55, 0.6]}, and waits for what they come to."""
        run = await self.sweeps.start(prompt, vary=vary, sample_size=sample_size, budget=budget, options=options)
        return cast("t.SweepWithResult", await self._ended(self.sweeps, run["id"], progress))

    async def report(self, id: str) -> AsyncReport:
        """The report of a kept backtest that is done."""
        run = await self.backtests.get(id)
        if run["result"] is None:
            raise errors.RunFailed(run)
        return AsyncReport(self, run["result"], run)

    async def explain(self, run: str, trade: int) -> Explanation:
        """Why a trade of a kept backtest was made as it was, by its number from 1."""
        return Explanation(await self.get(below("ai", "backtests", run, "trades", trade)))

    async def compare(self, a: str, b: str) -> Comparison:
        """What differs between two kept backtests, and whether b is better than a."""
        return Comparison(await self.get(below("ai", "backtests", a, "compare", b)))

    async def share(self, run: str) -> t.Share:
        """Makes a link to a backtest, which anybody may read until unshare."""
        return cast("t.Share", await self._ask(Call("POST", below("ai", "backtests", run, "share"))))

    async def unshare(self, run: str) -> None:
        """Withdraws the link to a backtest."""
        await self._send(Call("DELETE", below("ai", "backtests", run, "share")))

    async def shared(self, token: str) -> t.SharedRun:
        """A backtest by the token of its link."""
        return cast("t.SharedRun", await self.get(below("shared", token)))

    async def shared_trade(self, token: str, trade: int) -> Explanation:
        """As explain, by the token of a link."""
        return Explanation(await self.get(below("shared", token, "trades", trade)))

    async def shared_books(
        self, token: str, trade: int, start: Time, end: Time, resolution: str = "1s"
    ) -> t.TokenBooks:
        """Books of the token of a trade, around it, by the token of a link."""
        window = {"start_ts": _core.moment(start), "end_ts": _core.moment(end), "resolution": resolution}
        return cast("t.TokenBooks", await self.get(below("shared", token, "trades", trade, "books"), **window))
