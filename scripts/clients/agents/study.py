"""A whole study by the Python SDK, over HTTP and over stdio, in both eras of the protocol.

Usage: study.py BASE KEY BINARY ARCHIVE RECEIPT, which is that of `ladderback backtest` for $PROMPT.
The steps are those of steps.mjs.
"""
import asyncio
import os
import re
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

base, key, binary, archive, receipt = sys.argv[1:]
prompt = os.environ["PROMPT"]


async def study(by, transport, mode):
    async with Client(transport, mode=mode) as session:
        ticks = []

        async def tick(done, total, message):
            assert done <= total and (not ticks or done > ticks[-1]), (ticks, done, total)
            ticks.append(done)

        async def use(name, arguments, refused=False):
            ticks.clear()
            r = await session.call_tool(name, arguments, progress_callback=tick)
            assert bool(r.is_error) == refused, f"{name}: {r.content[0].text}"
            assert (r.structured_content is None) == refused, name
            return r.content[0].text, r.structured_content

        tools = (await session.list_tools()).tools
        assert len(tools) == 10, len(tools)
        text, found = await use("find_markets", {"coin": "BTC", "market_type": "5m"})
        assert re.search(r"^- BTC 5m: \d+ rounds with an official winner, 0 more", text, re.M), text
        assert found["series"] == ["btc-up-or-down-5m"], found
        text, _ = await use("parse_strategy", {"prompt": "Buy when RSI crosses 30"}, refused=True)
        assert '"RSI" (9 to 12)' in text and "Do not retry it unchanged" in text, text
        text, _ = await use("parse_strategy", {"prompt": "buy up if it trades up to 65c"}, refused=True)
        readings = re.findall(r"^Reading \d: (.+)$", text, re.M)
        assert len(readings) == 2, text
        _, taken = await use("parse_strategy", {"prompt": readings[1]})
        assert taken["summary"] == readings[1], taken

        text, run = await use("run_backtest", {"prompt": prompt})
        told = len(ticks)
        assert told > 0, "progress"
        assert run["rounds"] == 1000, run
        assert run["receipt"]["report"] == receipt, run["receipt"]
        pnl = text.split("\n")[0]
        for part in "per trade", "95% interval", "Warning: Simulated":
            assert part in pnl, pnl
        _, worst = await use("list_trades", {"run": run["id"], "sort": "worst", "limit": 1})
        number = worst["trades"][0]["number"]
        text, _ = await use("explain_trade", {"run": run["id"], "number": number})
        assert re.search(rf"Trade {number} of", text), text
        _, tighter = await use("run_backtest", {"prompt": prompt.replace("stop at 20c", "stop at 25c")})
        text, _ = await use("compare_runs", {"a": run["id"], "b": tighter["id"]})
        assert "better than" in text, text
        text, _ = await use("sweep", {"prompt": prompt, "sample_size": 200, "vary": ["exit.stop_loss=0.15:0.25:0.05"]})
        assert re.search(r"3 variants.*Sweep sweep_", text, re.S), text
        text, again = await use("get_run", {"id": run["id"], "detail": "headline"})
        assert again["receipt"]["report"] == receipt and f"report {receipt[:12]}" in text, text
        print(f"mcp over {by}, {session.protocol_version}: a study of 1,000 rounds, told {told} times how far it was; one receipt")


async def main():
    for mode in "legacy", "2026-07-28":
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as http:
            await study("HTTP", streamable_http_client(f"{base}/mcp", http_client=http), mode)
        with open(os.devnull, "w") as quiet:
            command = StdioServerParameters(command=binary, args=["mcp", "--archive", archive], env=dict(os.environ))
            await study("stdio", stdio_client(command, errlog=quiet), mode)


asyncio.run(main())
