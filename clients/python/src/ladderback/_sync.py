"""The client. Made of _async.py by tools/generate.py: edit that."""

from __future__ import annotations

import contextlib
import json
import os
import uuid
import time
from collections.abc import Iterator, Iterable, Mapping
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
C = TypeVar("C", bound="Client")


class Items(Generic[T]):
    """The items of a list, page after page as they are asked for."""

    def __init__(self, client: Client, path: str, query: Mapping[str, Any]) -> None:
        self._client, self._path, self._query = client, path, query

    def __iter__(self) -> Iterator[T]:
        for page in self._client._pages(self._path, self._query):
            for one in page["data"]:
                yield one

    def all(self) -> list[T]:
        """All of them."""
        return [one for one in self]


class History(Generic[T]):
    """A window of the history of a market or of a token: rows in order of time, page after
    page as they are asked for, or all at once as a frame."""

    def __init__(self, client: Client, what: What, path: str, market: str | None, window: dict[str, Any]) -> None:
        self._client, self._what, self._path, self._market, self._window = client, what, path, market, window

    def _query(self) -> dict[str, Any]:
        """The parameters; a window that was left open is the market's own."""
        if "start_ts" not in self._window or "end_ts" not in self._window:
            if self._market is None:
                raise errors.Error("the history of a token needs a start and an end")
            market = self._client.market(self._market)
            if market["start_date"] is None or market["end_date"] is None:
                raise errors.Error(f"{self._market} has no dates of its own: give start and end")
            self._window.setdefault("start_ts", market["start_date"])
            self._window.setdefault("end_ts", market["end_date"])
        return self._window

    def __iter__(self) -> Iterator[T]:
        for page in self._client._pages(self._path, self._query()):
            for row in _core.rows(self._what, page):
                yield cast(T, row)

    def all(self) -> list[T]:
        """All rows."""
        return [row for row in self]

    def chunks(self, format: str = "parquet") -> Iterator[bytes]:
        """The whole window as parquet, ndjson or csv, piece by piece. An answer that is cut
        is an error, never a short one."""
        if format not in FORMATS:
            raise errors.Error(f"format is one of {', '.join(FORMATS)}, not {format}")
        window = {k: v for k, v in (self._query()).items() if k != "limit"}
        call = Call("GET", self._path, window, accept=FORMATS[format])
        answer = self._client._send(call, stream=True)
        last = b""
        try:
            for piece in answer.iter_bytes():
                last = (last + piece)[-4:]
                yield piece
        except httpx.HTTPError as e:
            raise self._client._at.fault(call, e) from None
        finally:
            answer.close()
        if format == "parquet" and last != b"PAR1":
            raise errors.ConnectionFault(f"{call.method} {call.path}: the answer is cut")

    def read(self, format: str = "parquet") -> bytes:
        """The whole window as parquet, ndjson or csv."""
        return b"".join([piece for piece in self.chunks(format)])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the whole window to a file, whose ending names the format. A file that
        cannot be written whole is not left behind."""
        name = os.fspath(path)
        part = f"{name}.{uuid.uuid4().hex[:8]}.part"
        try:
            with open(part, "wb") as f:
                for piece in self.chunks(os.path.splitext(name)[1].lstrip(".")):
                    f.write(piece)
            os.replace(part, name)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.remove(part)

    def to_arrow(self) -> pyarrow.Table:
        """The whole window as a table, by the Parquet answer."""
        return cast("pyarrow.Table", _frames.arrow(BytesIO(self.read())))

    def to_pandas(self) -> pandas.DataFrame:
        """The whole window as a frame, by the Parquet answer."""
        return cast("pandas.DataFrame", _frames.pandas(BytesIO(self.read())))

    def to_polars(self) -> polars.DataFrame:
        """The whole window as a frame, by the Parquet answer."""
        return cast("polars.DataFrame", _frames.polars(BytesIO(self.read())))


class Report(ReportBase):
    """A backtest that is done: in a notebook, the words and numbers of the page."""

    def __init__(self, client: Client, body: t.Backtest, run: t.RunWithResult | None = None) -> None:
        super().__init__(body, run)
        self._client = client

    def _kept(self) -> str:
        if self.id is None:
            raise errors.Error("this backtest is not kept by the server: run it with keep=True")
        return self.id

    def explain(self, trade: int) -> Explanation:
        """Why a trade was made as it was, by its number from 1."""
        return self._client.explain(self._kept(), trade)

    def compare(self, other: Report | str) -> Comparison:
        """What differs between this backtest, A, and another, B, and which is better."""
        return self._client.compare(self._kept(), other if isinstance(other, str) else other._kept())

    def page(self) -> str:
        """The report as one page of HTML that needs nothing else."""
        return self._client.backtests.page(self._kept())

    def share(self) -> t.Share:
        """A link to the backtest, which anybody may read."""
        return self._client.share(self._kept())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the report: its page for .html, else its JSON."""
        if os.fspath(path).endswith((".html", ".htm")):
            text = self.page()
        else:
            text = json.dumps(self.body, ensure_ascii=False, indent=1) + "\n"
        with open(path, "w", encoding="utf-8", newline="\n") as f:
            f.write(text)


R = TypeVar("R")
D = TypeVar("D")


class Runs(Generic[R, D]):
    """The backtests that a server keeps, or its sweeps."""

    def __init__(self, client: Client, name: str) -> None:
        self._client, self._name = client, name

    def _call(self, method: str, *parts: str, **more: Any) -> Call:
        return Call(method, below("ai", self._name, *parts), **more)

    def start(
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
        return cast(R, self._client._ask(self._call("POST", body=body, headers=headers)))

    def estimate(
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
        return cast("t.Estimate", self._client._ask(call))

    def list(
        self,
        *,
        search: str | None = None,
        coin: str | None = None,
        market_type: str | None = None,
        verdict: str | None = None,
        state: str | None = None,
        page_size: int | None = None,
    ) -> Items[R]:
        """Runs without their results, newest first."""
        asked = query(search=search, coin=coin, market_type=market_type, verdict=verdict, state=state, limit=page_size)
        return Items(self._client, below("ai", self._name), asked)

    def get(self, id: str, *, wait: str | None = None) -> D:
        """A run, at once or, with wait such as 20s, when it has ended or after that time."""
        return cast(D, self._client._ask(self._call("GET", id, query=query(wait=wait))))

    def wait(self, id: str, *, progress: Progress = False) -> D:
        """A run when it has ended. Whoever stops waiting leaves it running."""
        bar = Bar(progress)
        try:
            if progress:
                with contextlib.suppress(errors.ConnectionFault):  # what became of it says the run itself
                    for _, name, data in self.events(id):
                        if name == "progress":
                            bar.set(data["done"], data["total"], data.get("phase", ""))
            while True:
                run = self.get(id, wait="20s")
                state = cast("dict[str, Any]", run)
                if state["state"] in ("done", "failed", "cancelled"):
                    bar.set(state["done"], state["total"], state["phase"])
                    return run
        finally:
            bar.end()

    def events(self, id: str, *, after: str | None = None) -> Iterator[tuple[str, str, Any]]:
        """What becomes of a run: the id, name and data of each message, from the one after
        an id (None: the first)."""
        headers = {"Last-Event-ID": after} if after else {}
        for message in self._client._messages(self._call("GET", id, "events", accept=EVENTS, headers=headers)):
            yield message

    def cancel(self, id: str) -> R:
        """Ends a run."""
        return cast(R, self._client._ask(self._call("POST", id, "cancel")))

    def retry(self, id: str) -> R:
        """Goes on with a failed run, from what was done."""
        return cast(R, self._client._ask(self._call("POST", id, "retry", again=False)))

    def forget(self, id: str) -> None:
        """Removes a run and its result."""
        self._client._send(self._call("DELETE", id))

    def page(self, id: str) -> str:
        """A backtest that is done as one page of HTML that needs nothing else."""
        return (self._client._send(self._call("GET", id, accept="text/html"))).text


class Client:
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
        self._http = httpx.Client(
            auth=self._at.sign, timeout=httpx.Timeout(timeout, connect=min(10, timeout)), follow_redirects=False
        )

    def __repr__(self) -> str:
        return f"<ladderback.{type(self).__name__} of {self._at.base}>"

    def __enter__(self: C) -> C:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the client's connections."""
        self._http.close()

    def _send(self, call: Call, stream: bool = False) -> httpx.Response:
        """Sends a call until it is answered; an answer that refuses is raised."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return self._once(call, stream)
            except (errors.ServerError, httpx.HTTPError) as e:
                wait = self._at.pause(attempt, e, call)
                if wait is None:
                    if isinstance(e, httpx.HTTPError):
                        raise self._at.fault(call, e) from None
                    raise
            time.sleep(wait)

    def _once(self, call: Call, stream: bool) -> httpx.Response:
        url, params, hops = self._at.url(call.path), dict(call.query) or None, 0
        while True:
            request = self._http.build_request(
                call.method, url, params=params, json=call.body, headers=self._at.headers(call)
            )
            answer = self._http.send(request, stream=stream)
            if answer.status_code < 300:
                return answer
            hops += 1
            try:
                to = self._at.leads(call, answer, hops)
                if to is None:
                    answer.read()
                    raise self._at.error(call, answer)
            finally:
                answer.close()
            url, params = to, None

    def _ask(self, call: Call) -> Any:
        return _core.read(call, (self._send(call)).content)

    def _pages(self, path: str, query: Mapping[str, Any]) -> Iterator[Any]:
        asked = dict(query)
        while True:
            page = self._ask(Call("GET", path, asked))
            yield page
            asked["cursor"] = page["metadata"]["next_cursor"]
            if asked["cursor"] is None:
                return

    def _messages(self, call: Call) -> Iterator[tuple[str, str, Any]]:
        """The messages of a stream; one that says error, or a stream that is cut, is raised."""
        answer = self._send(call, stream=True)
        reader, name = _core.Messages(), ""
        try:
            for line in answer.iter_lines():
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
            answer.close()
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
    ) -> Items[t.Series]:
        """Recurring questions."""
        asked = query(
            search=search, category=category, tags=tuple(tags), tags_match=tags_match,
            start_date_min=start_date_min, start_date_max=start_date_max,
            end_date_min=end_date_min, end_date_max=end_date_max, sort=sort, order=order, limit=page_size,
        )  # fmt: skip
        return Items(self, below("series"), asked)

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
    ) -> Items[t.Event]:
        """Markets that are decided together; closed ones too, unless include_closed is False."""
        asked = query(
            search=search, category=category, tags=tuple(tags), tags_match=tags_match,
            start_date_min=start_date_min, start_date_max=start_date_max,
            end_date_min=end_date_min, end_date_max=end_date_max, series_id=series_id, series_slug=series_slug,
            include_closed=include_closed, sort=sort, order=order, limit=page_size,
        )  # fmt: skip
        return Items(self, below("events"), asked)

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
    ) -> Items[t.MarketItem]:
        """Markets; only open ones, unless include_closed is True."""
        asked = query(
            search=search, category=category, tags=tuple(tags), tags_match=tags_match,
            start_date_min=start_date_min, start_date_max=start_date_max,
            end_date_min=end_date_min, end_date_max=end_date_max,
            event_id=event_id, event_slug=event_slug, series_slug=series_slug,
            include_closed=include_closed, sort=sort, order=order, limit=page_size,
        )  # fmt: skip
        return Items(self, below("markets"), asked)

    def market(self, id: str) -> t.Market:
        """A market by its id or slug."""
        return cast("t.Market", self.get(below("markets", id)))

    def gaps(self, id: str) -> list[t.Gap]:
        """What the sources of a market missed."""
        return cast("list[t.Gap]", (self.get(below("markets", id, "gaps")))["data"])

    def tags(self, category: t.Category | None = None) -> list[str]:
        """All tags in use, in order."""
        return cast("list[str]", (self.get(below("tags"), category=category))["data"])

    def archive(self, category: t.Category | None = None) -> t.Archive:
        """What the server holds, with the rounds that backtests may replay."""
        return cast("t.Archive", self.get(below("archive"), category=category, rounds=True))

    def usage(self) -> t.Usage:
        """What the key may do, and has left."""
        return cast("t.Usage", self.get(below("usage")))

    def conditions(self) -> t.ConditionList:
        """The quantities that conditions may test: of an entry (data), and of orders."""
        return cast("t.ConditionList", self.get(below("ai", "conditions")))

    def calibration(
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
        return cast("t.Calibration", self.get(below("ai", "calibration"), **parameters))

    def tries(self, coin: str | None = None, market_type: str | None = None) -> t.TriesRecord:
        """What the key's organization tried on rounds, of one coin and length or of all, what
        was reset, and which rounds are held out."""
        return cast("t.TriesRecord", self.get(below("ai", "tries"), coin=coin, market_type=market_type))

    def health(self) -> t.Health:
        """Whether the server answers."""
        return cast("t.Health", self.get(below("health")))

    def ready(self) -> t.Health:
        """Whether the server can answer questions about its archive."""
        return cast("t.Health", self.get("/readyz"))

    def get(self, path: str, **parameters: Any) -> Any:
        """What is at a path of the API as it stands: for routes that this version has no
        name for."""
        return self._ask(Call("GET", path, query(**parameters)))

    # History.

    def _history(
        self, what: What, market: str | None, token: str | None, start: Time | None, end: Time | None, resolution: str,
        page_size: int | None,
    ) -> History[Any]:  # fmt: skip
        if (market is None) == (token is None):
            raise errors.Error("give either a market or a token")
        path = below("tokens", token, what) if market is None else below("markets", market, what)
        window = query(
            start_ts=None if start is None else _core.moment(start), end_ts=None if end is None else _core.moment(end),
            resolution=resolution, limit=page_size,
        )  # fmt: skip
        return History(self, what, path, market, window)

    def prices(
        self,
        market: str | None = None,
        start: Time | None = None,
        end: Time | None = None,
        resolution: str = "1s",
        *,
        token: str | None = None,
        page_size: int | None = None,
    ) -> History[_core.PriceRow]:
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
    ) -> History[_core.BookRow]:
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
    ) -> History[_core.QuoteRow]:
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
    ) -> History[_core.MetricsRow]:
        """Liquidity, spread and volume of a market, as prices."""
        return self._history("metrics", market, None, start, end, resolution, page_size)

    # Strategies.

    def parse(
        self, text: str, *, sample_size: int | None = None, budget: float | None = None, parser: str | None = None
    ) -> Reading:
        """How a prompt is understood, without running it. A refused one raises Refused."""
        body = query(prompt=text, sampleSize=sample_size, budget=budget, parser=parser)
        return Reading(cast("t.Parsed", self._ask(Call("POST", below("ai", "parse"), body=body))))

    @property
    def backtests(self) -> Runs[t.Run, t.RunWithResult]:
        """The backtests that the server keeps."""
        return Runs(self, "backtests")

    @property
    def sweeps(self) -> Runs[t.SweepRun, t.SweepWithResult]:
        """The sweeps that the server keeps."""
        return Runs(self, "sweeps")

    def backtest(
        self,
        prompt: str | Mapping[str, Any],
        *,
        sample_size: int | None = None,
        budget: float | None = None,
        options: Mapping[str, Any] | None = None,
        progress: Progress = False,
        keep: bool = True,
    ) -> Report:
        """Runs a prompt or a strategy and waits for its report.

        progress draws a bar on the standard error, or is a function of the rounds that are
        done and of all. keep leaves the run with the server, which trades are explained and
        backtests compared by. Whoever stops waiting, as by Ctrl-C, ends the run.
        """
        if not keep:
            return self._passing(_core.wish(prompt, sample_size, budget, options), Bar(progress))
        run = self.backtests.start(prompt, sample_size=sample_size, budget=budget, options=options)
        ended = self._ended(self.backtests, run["id"], progress)
        return Report(self, cast("t.Backtest", ended["result"]), ended)

    def _ended(self, runs: Runs[Any, Any], id: str, progress: Progress) -> Any:
        """A run that is done; it is cancelled when the waiting is given up."""
        try:
            run = runs.wait(id, progress=progress)
        except BaseException:
            with contextlib.suppress(Exception):
                runs.cancel(id)
            raise
        if run["state"] != "done":
            raise errors.RunFailed(run)
        return run

    def _passing(self, body: Mapping[str, Any], bar: Bar) -> Report:
        """A backtest that the server does not keep."""
        call = Call("POST", below("ai", "backtest"), body=body, accept=EVENTS, again=False)
        result: Any = None
        try:
            for _, name, data in self._messages(call):
                if name == "progress":
                    bar.set(data["done"], data["total"])
                elif name == "result":
                    result = data
        finally:
            bar.end()
        return Report(self, cast("t.Backtest", result))

    def sweep(
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
        run = self.sweeps.start(prompt, vary=vary, sample_size=sample_size, budget=budget, options=options)
        return cast("t.SweepWithResult", self._ended(self.sweeps, run["id"], progress))

    def report(self, id: str) -> Report:
        """The report of a kept backtest that is done."""
        run = self.backtests.get(id)
        if run["result"] is None:
            raise errors.RunFailed(run)
        return Report(self, run["result"], run)

    def explain(self, run: str, trade: int) -> Explanation:
        """Why a trade of a kept backtest was made as it was, by its number from 1."""
        return Explanation(self.get(below("ai", "backtests", run, "trades", trade)))

    def compare(self, a: str, b: str) -> Comparison:
        """What differs between two kept backtests, and whether b is better than a."""
        return Comparison(self.get(below("ai", "backtests", a, "compare", b)))

    def share(self, run: str) -> t.Share:
        """Makes a link to a backtest, which anybody may read until unshare."""
        return cast("t.Share", self._ask(Call("POST", below("ai", "backtests", run, "share"))))

    def unshare(self, run: str) -> None:
        """Withdraws the link to a backtest."""
        self._send(Call("DELETE", below("ai", "backtests", run, "share")))

    def shared(self, token: str) -> t.SharedRun:
        """A backtest by the token of its link."""
        return cast("t.SharedRun", self.get(below("shared", token)))

    def shared_trade(self, token: str, trade: int) -> Explanation:
        """As explain, by the token of a link."""
        return Explanation(self.get(below("shared", token, "trades", trade)))

    def shared_books(
        self, token: str, trade: int, start: Time, end: Time, resolution: str = "1s"
    ) -> t.TokenBooks:
        """Books of the token of a trade, around it, by the token of a link."""
        window = {"start_ts": _core.moment(start), "end_ts": _core.moment(end), "resolution": resolution}
        return cast("t.TokenBooks", self.get(below("shared", token, "trades", trade, "books"), **window))
