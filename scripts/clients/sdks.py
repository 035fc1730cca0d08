"""Drives two Python clients of other projects against our API.

Usage: python sdks.py BASE KEY STARTER_KEY SLUG START END
"""

import os
import sys

from polymarketdata import PolymarketDataClient
from polymarketdata.errors import BadRequestError, NotFoundError as Missing, PermissionDeniedError
from polyorderbooks import PolyOrderbooksClient
from polyorderbooks.exceptions import APIError, AuthenticationError, NotFoundError
from pydantic import ValidationError

base, key, starter, slug, start, end = sys.argv[1:]
window = {"start_ts": start, "end_ts": end}


def raises(kind, call, *parts):
    try:
        call()
    except kind as e:
        for part in parts:
            assert part in str(e), (part, str(e))
        return e
    raise AssertionError(f"expected {kind}")


def first():
    """polyorderbooks: base address without /v1."""
    with PolyOrderbooksClient(key, base_url=base) as c:
        assert c.get_usage()["plan"] == "pro"
        assert c.get_usage()["limits"]["data_points"] == {"metrics": True, "prices": True, "books": True}
        series = c.list_series(search="btc", tags=["bitcoin", "nothing"], sort="updated_at")
        assert [s["slug"] for s in series["data"]] == ["btc-up-or-down-5m"], series
        events = c.list_events(series_slug="btc-up-or-down-5m", sort="end_date", order="asc", limit=3)
        assert len(events["data"]) == 3 and events["metadata"]["next_cursor"]
        assert all(m["status"] == "open" for m in c.list_markets()["data"])
        closed = c.list_markets(search=slug, include_closed=True)["data"]
        assert [m["slug"] for m in closed] == [slug]
        pages = list(c.iter_markets(include_closed=True, limit=4))
        ids = [m["id"] for p in pages for m in p["data"]]
        assert len(pages) > 2 and len(ids) == len(set(ids)), ids
        market = c.get_market(slug)
        assert market["status"] == "resolved" and market["closed_at"]
        assert "bitcoin" in c.list_tags()["data"]
        up = market["tokens"][0]["id"]
        assert c.get_market_metrics(slug, **window, resolution="1s", limit=200)["metadata"]["count"] == 200
        assert c.get_market_prices(slug, **window, resolution="60s")["resolution"] == "60s"
        books = [b for p in c.iter_market_books(slug, **window, resolution="1s", limit=200) for b in p["data"]["Up"]]
        assert len(books) == 300, len(books)
        assert len(c.get_token_prices(up, **window, resolution="1m")["data"]) == 5
        assert len(c.get_token_books(up, **window, resolution="1m")["data"]) == 5
        raises(NotFoundError, lambda: c.get_market("nobody"), "market not found: nobody")
        raises(APIError, lambda: c.get_market_prices(slug, **window, resolution="2s"), "Unsupported resolution '2s'")
        raises(APIError, lambda: c.get_market_prices(slug, **window, resolution="1s", limit=201), "Maximum: 200")
    with PolyOrderbooksClient("wrong", base_url=base) as c:
        raises(AuthenticationError, c.list_tags)
    print("polyorderbooks: every method answered")


def second():
    """polymarketdata-sdk: base address with /v1; strict types."""
    with PolymarketDataClient(key, base_url=base + "/v1", max_retries=0) as c:
        d, h = c.discovery, c.history
        assert c.utility.health().status == "ok"
        # Its model wants reset_at never null and max_history_days as text; the
        # contract says integer.
        e = raises(ValidationError, c.utility.usage)
        assert {x["loc"] for x in e.errors()} == {("limits", "max_history_days")}, e
        assert [s.slug for s in d.list_series(search="btc").data] == ["btc-up-or-down-5m"]
        assert d.list_events(series_slug="btc-up-or-down-5m", limit=2).metadata.next_cursor
        assert len(list(d.iter_series(page_size=1))) == 2
        assert len({e.id for e in d.iter_events(page_size=3)}) == len(list(d.iter_events())) > 6
        assert all(m.status == "open" for m in d.iter_markets(page_size=1))
        assert "crypto" in d.list_tags().data
        market = d.get_market(slug).market
        up = market.tokens[0].id
        assert len(list(h.iter_market_metrics(slug, **window, resolution="1s", page_size=77))) == 300
        assert len(list(h.iter_token_prices(up, **window, resolution="1s", page_size=200))) == 300
        assert len(list(h.iter_token_books(up, **window, resolution="1s", page_size=99))) == 300
        for pages in (h.iter_market_prices_pages, h.iter_market_books_pages):
            count = sum(len(p.data["Up"]) for p in pages(slug, **window, resolution="1s", page_size=150))
            assert count == 300, count
        assert h.get_market_prices(slug, **window, resolution="10m").tokens["Up"] == up
        raises(Missing, lambda: d.get_market("nobody"))
        raises(BadRequestError, lambda: h.get_token_prices(up, **window, resolution="1s", limit=500))
        raises(PermissionDeniedError, lambda: h.get_token_prices(up, start_ts="2020-01-01T00:00:00Z", end_ts=end, resolution="1s"))
    # It retries 429 after the time that Retry-After says; here we only see the header.
    with PolymarketDataClient(starter, base_url=base + "/v1", max_retries=0) as c:
        try:
            for _ in range(61):
                c.discovery.list_tags()
            raise AssertionError("61 requests in a minute were answered")
        except Exception as e:  # its RateLimitError
            assert getattr(e, "status_code", None) == 429, e
            assert 1 <= int(e.headers["retry-after"]) <= 60, e.headers
    print("polymarketdata-sdk: every method answered")


os.environ.pop("POLYMARKETDATA_BASE_URL", None)
first()
second()
