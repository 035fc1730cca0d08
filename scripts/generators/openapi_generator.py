"""Eleven calls with the Python client that openapi-generator makes.

Usage: PYTHONPATH=GENERATED python openapi_generator.py BASE KEY
"""

import json
import sys

from exact import read
from openapi_client import ApiClient, Configuration
from openapi_client.api import AccessApi, BacktestApi, DiscoveryApi, HistoryApi, OperationsApi, RunsApi
from openapi_client.models import BacktestOptions, BacktestRequest, Include, ParseRequest, Resolution, SlippageLimit

base, key = sys.argv[1:]
c = ApiClient(Configuration(host=base, access_token=key))
prompt = "Buy BTC 5m Up when price is below 0.4, take profit at 0.6, last 5 markets"
calls = 0


def same(answer):
    """The model, which is what the server wrote, to the last digit."""
    global calls
    calls += 1
    got, want = json.loads(answer.data.to_json()), json.loads(answer.raw_data)
    assert read(got, nulls=False) == read(want, nulls=False), (got, want)
    return answer.data


runs, history = RunsApi(c), HistoryApi(c)
assert same(OperationsApi(c).health_with_http_info()).status == "ok"
assert same(AccessApi(c).usage_with_http_info()).plan == "enterprise"
assert "crypto" in same(DiscoveryApi(c).list_tags_with_http_info()).data
page = same(DiscoveryApi(c).list_markets_with_http_info(include_closed=True, search="btc", sort="end_date", limit=5))
market = same(DiscoveryApi(c).get_market_with_http_info(page.data[0].slug))
window = {"start_ts": market.start_date.isoformat(), "end_ts": market.end_date.isoformat()}
window["resolution"] = Resolution("5s")
assert same(history.markets_history_prices_with_http_info(market.slug, **window)).data["Up"]
assert same(history.markets_history_books_with_http_info(market.slug, **window)).data["Up"]
same(BacktestApi(c).parse_with_http_info(ParseRequest(prompt=prompt)))
options = BacktestOptions(max_slippage=SlippageLimit(0.07), include=[Include.FILLS])
request = BacktestRequest(prompt=prompt, options=options)
answer = same(BacktestApi(c).backtest_with_http_info(request))
assert answer.report.options.max_slippage.actual_instance == 0.07
run = same(runs.start_run_with_http_info(request))
kept = same(runs.get_run_with_http_info(run.id, wait="60s"))
assert kept.state == "done" and kept.result.report.receipt == answer.report.receipt, kept
print(f"openapi-generator, Python: {calls} calls, nothing lost")
