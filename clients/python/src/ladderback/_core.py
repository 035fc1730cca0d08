"""What both clients share, without any input or output of its own."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from typing import TYPE_CHECKING, Any, Literal, TypedDict
from urllib.parse import quote, urlsplit

from . import __version__, errors

if TYPE_CHECKING:
    import httpx

Time = str | int | float | date | datetime
Progress = bool | Callable[[int, int], None]
Vary = str | Iterable[str | Mapping[str, Any]] | Mapping[str, Any]
What = Literal["prices", "books", "quotes", "metrics"]

JSON = "application/json"
EVENTS = "text/event-stream"
PARQUET = "application/vnd.apache.parquet"
FORMATS = {"parquet": PARQUET, "ndjson": "application/x-ndjson", "csv": "text/csv"}


class PriceRow(TypedDict):
    """A token's price in a bucket."""

    t: datetime
    token_id: str
    label: str
    p: float


class BookRow(TypedDict):
    """The last book in a bucket; levels are [price, size], best first."""

    t: datetime
    token_id: str
    label: str
    bids: list[list[float]]
    asks: list[list[float]]


class QuoteRow(TypedDict):
    """The last best bid and ask in a bucket; None: nobody is there, or no size is known."""

    t: datetime
    token_id: str
    label: str
    bid: float | None
    bid_size: float | None
    ask: float | None
    ask_size: float | None


class MetricsRow(TypedDict):
    """A market's metrics in a bucket, USD."""

    t: datetime
    liquidity: float
    spread: float
    volume: float


@dataclass
class Call:
    """One request, which may be sent several times; again says that it may be repeated
    when nobody knows whether it has arrived."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    accept: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    again: bool = True

    @property
    def prompt(self) -> str:
        return str((self.body or {}).get("prompt") or "")


class Connection:
    """Where a client asks, and how long: all that needs no sending."""

    def __init__(self, base: str | None, key: str | None, tries: int, longest: float, user_agent: str | None) -> None:
        base = base or os.environ.get("LADDERBACK_URL") or "http://127.0.0.1:8080"
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise errors.Error("the server's address must be such as http://127.0.0.1:8080")
        if parts.username or parts.password:
            raise errors.Error("the server's address must not hold a password")
        self.base = base.rstrip("/")
        self.origin = (parts.scheme, parts.netloc)
        self.host = parts.netloc
        key = os.environ.get("LADDERBACK_API_KEY", "") if key is None else key

        def sign(request: httpx.Request) -> httpx.Request:
            if key:
                request.headers["Authorization"] = "Bearer " + key
            return request

        self.sign = sign  # a closure: nothing that prints an object prints the key
        self.tries, self.longest = max(1, tries), longest
        own = f"ladderback-python/{__version__} Python/{sys.version_info[0]}.{sys.version_info[1]}"
        self.agent = f"{user_agent} {own}" if user_agent else own

    def url(self, path: str) -> str:
        return self.base + path

    def headers(self, call: Call) -> dict[str, str]:
        return {"Accept": call.accept, "User-Agent": self.agent, **call.headers}

    def leads(self, call: Call, answer: httpx.Response, hops: int) -> str | None:
        """The address that a redirect leads to, on this host alone; None: it is none."""
        if answer.status_code not in (301, 302, 303, 307, 308) or "Location" not in answer.headers:
            return None
        to = answer.request.url.join(answer.headers["Location"])
        if (to.scheme, to.netloc.decode()) != self.origin:
            raise errors.ConnectionFault(
                f"{call.method} {call.path}: the server leads to another one, {to.scheme}://{to.netloc.decode()}, "
                "which is not followed"
            )
        if hops > 5 or call.method != "GET":
            raise errors.ConnectionFault(f"{call.method} {call.path}: the server leads elsewhere: {to.path}")
        return str(to)

    def error(self, call: Call, answer: httpx.Response) -> errors.ServerError:
        """The exception for an answer that was read."""
        try:
            body = json.loads(answer.content)
        except ValueError:
            body = None
        try:
            wait = float(answer.headers.get("Retry-After", 0))
        except ValueError:
            wait = 0
        request_id = answer.headers.get("X-Request-Id", "")
        return errors.of_answer(answer.status_code, body, self.host, request_id, max(0, wait), call.prompt)

    def pause(self, attempt: int, e: Exception, call: Call) -> float | None:
        """How many seconds to wait before the next try; None: there is none."""
        if attempt >= self.tries:
            return None
        wait: float = 0
        if isinstance(e, errors.ServerError):
            if e.status not in (429, 503) or e.retry_after > self.longest:
                return None
            wait = e.retry_after
        elif not call.again:
            return None
        most = 0.2 * 2 ** min(attempt - 1, 8)
        return min(self.longest, wait + random.uniform(most / 2, most))

    def fault(self, call: Call, e: Exception) -> errors.ConnectionFault:
        """What became of a connection, in words that hold nothing secret."""
        return errors.ConnectionFault(
            f"{call.method} {call.path} at {self.host}: {type(e).__name__}: {e or 'the connection broke'}"
        )


def read(call: Call, text: bytes | str) -> Any:
    """The JSON of an answer."""
    try:
        return json.loads(text)
    except ValueError:
        raise errors.ConnectionFault(f"{call.method} {call.path}: the answer is not JSON") from None


def instant(text: str) -> datetime:
    """A time of an answer, with microseconds.

    >>> instant("2026-04-01T00:43:28.6845Z")
    datetime.datetime(2026, 4, 1, 0, 43, 28, 684500, tzinfo=datetime.timezone.utc)
    """
    text = text.removesuffix("Z")
    if "." in text:  # Python 3.10 reads three digits or six
        whole, _, part = text.partition(".")
        text = f"{whole}.{part[:6]:0<6}"
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)


def moment(at: Time) -> str:
    """A time as the server reads it; one without a zone is UTC.

    >>> moment(datetime(2026, 4, 1, 12)), moment(date(2026, 4, 1)), moment(1775001600)
    ('2026-04-01T12:00:00Z', '2026-04-01T00:00:00Z', '1775001600')
    """
    if isinstance(at, datetime):
        at = at.replace(tzinfo=timezone.utc) if at.tzinfo is None else at.astimezone(timezone.utc)
        return at.isoformat().replace("+00:00", "Z")
    if isinstance(at, date):
        return at.isoformat() + "T00:00:00Z"
    return str(at)


def query(**values: Any) -> dict[str, Any]:
    """The parameters that were given, as they are sent."""
    out: dict[str, Any] = {}
    for name, v in values.items():
        if v is None or v == "" or v == ():
            continue
        if isinstance(v, bool):
            v = "true" if v else "false"
        elif isinstance(v, (date, datetime)):
            v = moment(v)
        out[name] = list(v) if isinstance(v, (list, tuple, set)) else v
    return out


def below(*parts: Any) -> str:
    """A path of the API.

    >>> below("markets", "a/b", "prices")
    '/v1/markets/a%2Fb/prices'
    """
    return "/v1/" + "/".join(quote(str(p), safe="") for p in parts)


def varied(vary: Vary) -> list[Any]:
    """What a sweep varies, as JSON: of one text, several or objects, or by field its values
    or a range of from, to and step."""
    if isinstance(vary, str):
        return [vary]
    if isinstance(vary, Mapping):
        return [{"field": k, **(v if isinstance(v, Mapping) else {"values": list(v)})} for k, v in vary.items()]
    return list(vary)


def wish(
    prompt: str | Mapping[str, Any], sample_size: int | None, budget: float | None, options: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The body of a request for a run: of a prompt, or of a strategy."""
    body: dict[str, Any] = {"prompt": prompt} if isinstance(prompt, str) else {"strategy": dict(prompt)}
    if sample_size is not None:
        body["sampleSize"] = sample_size
    if budget is not None:
        body["budget"] = budget
    if options:
        body["options"] = {
            k: moment(v) if isinstance(v, (date, datetime)) else v for k, v in options.items() if v is not None
        }
    return body


def rows(what: What, page: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The points of a page of history, in order of time and then of the page's labels."""
    data = page["data"]
    if what == "metrics":
        for p in data:
            yield {**p, "t": instant(p["t"])}
        return
    if isinstance(data, dict):
        tokens = page["tokens"]
        found = [(p["t"], i, tokens[label], label, p) for i, label in enumerate(data) for p in data[label]]
        found = [(instant(t), i, token, label, p) for t, i, token, label, p in found]
        found.sort(key=lambda f: f[:2])
    else:
        found = [(instant(p["t"]), 0, page["token_id"], page["token_label"], p) for p in data]
    for t, _, token, label, p in found:
        row = {"t": t, "token_id": token, "label": label}
        row.update((k, v) for k, v in p.items() if k != "t")
        yield row


class Messages:
    """Reads a stream of events, line by line."""

    def __init__(self) -> None:
        self.id = self.name = self.data = ""

    def line(self, line: str) -> tuple[str, str, Any] | None:
        """The id, name and data of a message that ends with this line; None: none does.

        >>> m = Messages()
        >>> [m.line(one) for one in ("event: progress", 'data: {"done": 1}', "")]
        [None, None, ('', 'progress', {'done': 1})]
        """
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            self.id = value
        elif name == "event":
            self.name = value
        elif name == "data":
            self.data = value
        elif not line and self.name:
            out = (self.id, self.name, json.loads(self.data or "null"))
            self.__init__()  # type: ignore[misc]
            return out
        return None


class Bar:
    """Shows how far a run is: to a function, or as a bar on the standard error."""

    def __init__(self, progress: Progress) -> None:
        self.tell = progress if callable(progress) else None
        self.draw = progress is True
        self.shown = ""

    def set(self, done: int, total: int, phase: str = "") -> None:
        if self.tell:
            self.tell(done, total)
        if self.draw and total:
            full = 30 * done // total
            self.shown = f"[{'#' * full}{'.' * (30 - full)}] {done}/{total} rounds {phase}"
            sys.stderr.write("\r" + self.shown.ljust(60))
            sys.stderr.flush()

    def end(self) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * max(60, len(self.shown)) + "\r")
            sys.stderr.flush()
            self.shown = ""
