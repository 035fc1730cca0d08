"""Eleven calls with the client that openapi-python-client generates.

Usage: PYTHONPATH=GENERATED python openapi_python_client.py BASE KEY
"""

import json
import sys
import urllib.request

from exact import read
from ladderback_client import AuthenticatedClient
from ladderback_client.api.access import usage
from ladderback_client.api.backtest import backtest, parse
from ladderback_client.api.discovery import get_market, list_markets, list_tags
from ladderback_client.api.history import markets_history_books, markets_history_prices
from ladderback_client.api.operations import health
from ladderback_client.api.runs import get_run, start_run
from ladderback_client.models import BacktestOptions, BacktestRequest, Include, ListMarketsSort, ParseRequest, Resolution

base, key = sys.argv[1:]
c = AuthenticatedClient(base_url=base, token=key, raise_on_unexpected_status=True)
prompt = "Buy BTC 5m Up when price is below 0.4, take profit at 0.6, last 5 markets"


def same(model, method, path, body=None):
    """What the client read is what the server wrote, to the last digit."""
    headers = {"Authorization": "Bearer " + key, "Content-Type": "application/json"}
    r = urllib.request.Request(base + path, json.dumps(body).encode() if body else None, headers, method=method)
    with urllib.request.urlopen(r) as answer:
        want = json.load(answer)
    got = model.to_dict()
    assert read(got) == read(want), (path, got, want)


assert health.sync(client=c).status == "ok"
assert usage.sync(client=c).plan == "enterprise"
assert "crypto" in list_tags.sync(client=c).data
page = list_markets.sync(client=c, include_closed=True, search="btc", sort=ListMarketsSort.END_DATE, limit=5)
same(page, "GET", "/v1/markets?include_closed=true&search=btc&sort=end_date&limit=5")
slug = page.data[0].slug
market = get_market.sync(slug, client=c)
same(market, "GET", f"/v1/markets/{slug}")
start, end = market.start_date.isoformat(), market.end_date.isoformat()
window = dict(client=c, start_ts=start, end_ts=end, resolution=Resolution("5s"))
query = f"?start_ts={start}&end_ts={end}&resolution=5s".replace("+", "%2B")
same(markets_history_prices.sync(slug, **window), "GET", f"/v1/markets/{slug}/prices{query}")
same(markets_history_books.sync(slug, **window), "GET", f"/v1/markets/{slug}/books{query}")
same(parse.sync(client=c, body=ParseRequest(prompt=prompt)), "POST", "/v1/ai/parse", {"prompt": prompt})
request = BacktestRequest(prompt=prompt, options=BacktestOptions(max_slippage=0.07, include=[Include.FILLS]))
answer = backtest.sync(client=c, body=request)
same(answer, "POST", "/v1/ai/backtest", {"prompt": prompt, "options": {"max_slippage": 0.07, "include": ["fills"]}})
run = start_run.sync(client=c, body=request)
kept = get_run.sync(run.id, client=c, wait="60s")
assert kept.state.value == "done" and kept.result.report.receipt == answer.report.receipt, kept
same(kept, "GET", f"/v1/ai/backtests/{run.id}")
print("openapi-python-client: eleven calls, nothing lost")
