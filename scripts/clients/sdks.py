"""Drives two Python clients of other projects against our API.

Usage: python sdks.py BASE KEY STARTER_KEY SLUG START END
"""

import os
import sys
import time
from datetime import datetime, timedelta

from polymarketdata import PolymarketDataClient
from polymarketdata.errors import AuthenticationError as Unauthorized
from polymarketdata.errors import BadRequestError, NotFoundError as Missing, PermissionDeniedError
from polymarketdata.types import Resolution
from polyorderbooks import PolyOrderbooksClient
from polyorderbooks.exceptions import APIError, AuthenticationError, NotFoundError, RateLimitError
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
        assert c.list_series(tags=["bitcoin", "nothing"], tags_match="all")["data"] == []
        assert c.list_series(search="")["metadata"]["count"] == 2
        dated = c.list_series(start_date_min=start, start_date_max=start, end_date_min=end, end_date_max=end, order="asc")
        assert "btc-up-or-down-5m" in [s["slug"] for s in dated["data"]], dated
        events = c.list_events(series_slug="btc-up-or-down-5m", sort="end_date", order="asc", limit=3)
        assert len(events["data"]) == 3 and events["metadata"]["next_cursor"]
        more = c.list_events(series_slug="btc-up-or-down-5m", sort="end_date", order="asc", limit=3, cursor=events["metadata"]["next_cursor"])
        ends = [e["end_date"] for e in events["data"] + more["data"]]
        assert ends == sorted(ends) and len(set(ends)) == 6, ends
        assert c.list_events(series_id=series["data"][0]["id"], search=slug)["data"][0]["slug"] == slug
        assert all(m["status"] == "open" for m in c.list_markets()["data"])
        closed = c.list_markets(search=slug, include_closed=True)["data"]
        assert [m["slug"] for m in closed] == [slug]
        pages = list(c.iter_markets(include_closed=True, limit=4))
        ids = [m["id"] for p in pages for m in p["data"]]
        assert len(pages) > 2 and len(ids) == len(set(ids)), ids
        market = c.get_market(slug)
        assert market["status"] == "resolved" and market["closed_at"]
        assert c.get_market(market["id"]) == market
        for event in ({"event_id": market["event_id"]}, {"event_slug": market["event_slug"]}):
            assert [m["id"] for m in c.list_markets(include_closed=True, **event)["data"]] == [market["id"]]
            assert c.list_markets(**event)["data"] == [], "closed ones are left out"
        for sort in ("updated_at", "start_date", "end_date"):
            rows = c.list_markets(include_closed=True, sort=sort, order="asc")["data"]
            assert sort not in rows[0] or [r[sort] for r in rows] == sorted(r[sort] for r in rows)
        assert "bitcoin" in c.list_tags()["data"]
        up = market["tokens"][0]["id"]
        assert c.get_market_metrics(slug, **window, resolution="1s", limit=200)["metadata"]["count"] == 200
        assert c.get_market_prices(slug, **window, resolution="60s")["resolution"] == "60s"
        for resolution in ("1s", "60s", "1m", "5m", "10m", "15m", "1h", "6h", "1d"):
            assert c.get_market_metrics(slug, **window, resolution=resolution)["resolution"] == resolution
        calls = [
            (c.get_market_prices, slug, lambda p: p["data"]["Up"]), (c.get_market_books, slug, lambda p: p["data"]["Up"]),
            (c.get_market_metrics, slug, lambda p: p["data"]), (c.get_token_prices, up, lambda p: p["data"]), (c.get_token_books, up, lambda p: p["data"]),
        ]
        for call, of, points in calls:
            one = call(of, **window, resolution="1s", limit=200)
            two = call(of, **window, resolution="1s", limit=200, cursor=one["metadata"]["next_cursor"])
            assert points(one)[-1]["t"] < points(two)[0]["t"], call
        books = [b for p in c.iter_market_books(slug, **window, resolution="1s", limit=200) for b in p["data"]["Up"]]
        assert len(books) == 300, len(books)
        assert len(c.get_token_prices(up, **window, resolution="1m")["data"]) == 5
        assert len(c.get_token_books(up, **window, resolution="1m")["data"]) == 5
        raises(NotFoundError, lambda: c.get_market("nobody"), "market not found: nobody")
        raises(APIError, lambda: c.get_market_prices(slug, **window, resolution="2s"), "Unsupported resolution '2s'")
        raises(APIError, lambda: c.get_market_prices(slug, **window, resolution="1s", limit=201), "Maximum: 200")
    with PolyOrderbooksClient("wrong", base_url=base) as c:
        raises(AuthenticationError, c.list_tags, "API key")
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
        assert len(list(d.iter_events(page_size=2, max_items=3))) == 3
        day = datetime.fromisoformat(start.replace("Z", "+00:00"))
        around = {"start_date_min": day, "end_date_max": day + timedelta(days=1)}  # sent as dates
        assert [s.slug for s in d.iter_series(tags=["bitcoin"], sort="updated_at", **around)] == ["btc-up-or-down-5m"]
        assert [s.slug for s in d.list_series(tags="bitcoin,ethereum", order="asc").data] != []
        event = d.list_events(search=slug, sort="start_date", order="asc").data[0]
        assert event.slug == slug and event.status == "resolved" and "crypto" in event.tags, event
        assert d.list_markets(event_id=event.id).data == [] == d.list_markets(event_slug=slug, sort="end_date").data
        assert "crypto" in d.list_tags().data
        market = d.get_market(slug).market
        up = market.tokens[0].id
        assert d.get_market(market.id).meta.request_id, "X-Request-Id"
        assert {market.start_date, market.end_date} == {start, end} and market.closed_at
        seconds = {"start_ts": day, "end_ts": day.timestamp() + 60}  # sent as Unix seconds
        for call, of in ((h.get_market_prices, slug), (h.get_market_books, slug), (h.get_market_metrics, slug), (h.get_token_prices, up), (h.get_token_books, up)):
            page = call(of, **seconds, resolution="1s", limit=60)
            assert page.metadata.count == 60 and page.market_id == market.id, page
            if page.metadata.next_cursor:
                assert call(of, **seconds, resolution="1s", limit=60, cursor=page.metadata.next_cursor).metadata.count == 60
            for resolution in Resolution:
                assert call(of, **seconds, resolution=resolution).resolution == resolution.value
        assert len(list(h.iter_token_prices(up, **window, resolution="1s", page_size=7, max_points=20))) == 20
        assert len(list(h.iter_market_prices_pages(slug, **window, resolution="1s", page_size=10, max_pages=3))) == 3
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
    with PolymarketDataClient("wrong", base_url=base + "/v1", max_retries=0) as c:
        raises(Unauthorized, c.discovery.list_tags)
    # It retries 429 after the time that Retry-After says; here we only see the header.
    left = 60 - time.time() % 60
    if left < 10:
        time.sleep(left)  # all of them in one minute
    with PolymarketDataClient(starter, base_url=base + "/v1", max_retries=0) as c:
        try:
            for _ in range(61):
                c.discovery.list_tags()
            raise AssertionError("61 requests in a minute were answered")
        except Exception as e:  # its RateLimitError
            assert getattr(e, "status_code", None) == 429, e
            assert 1 <= int(e.headers["retry-after"]) <= 60, e.headers
        assert c.utility.health().status == "ok"
    with PolyOrderbooksClient(starter, base_url=base) as c:
        assert 1 <= raises(RateLimitError, c.list_tags).retry_after <= 60
        assert c.get_usage()["limits"]["requests_remaining"] == 0, "usage is answered all the same"
    print("polymarketdata-sdk: every method answered")


os.environ.pop("POLYMARKETDATA_BASE_URL", None)
first()
second()
