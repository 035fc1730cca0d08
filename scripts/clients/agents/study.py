"""A whole study by the Python SDK. Usage: study.py BASE KEY BINARY ARCHIVE RECEIPT

RECEIPT is that of `ladderback backtest` for the prompt in $PROMPT.
"""
import asyncio
import os
import re
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

base, key, binary, archive, receipt = sys.argv[1:]
prompt = os.environ["PROMPT"]


async def study(read, write):
    async with ClientSession(read, write) as session:
        await session.initialize()

        async def use(name, arguments, failed=False):
            r = await session.call_tool(name, arguments)
            assert bool(r.is_error) == failed, f"{name}: {r.content[0].text}"
            return r.content[0].text, r.structured_content

        tools = (await session.list_tools()).tools
        assert len(tools) <= 10, len(tools)
        assert "BTC 5m" in (await use("find_markets", {"coin": "BTC"}))[0]
        text, _ = await use("parse_strategy", {"prompt": "Buy when RSI crosses 30"}, failed=True)
        assert "Do not retry it unchanged" in text, text
        _, run = await use("run_backtest", {"prompt": prompt})
        assert run["receipt"]["report"] == receipt, run["receipt"]
        _, worst = await use("list_trades", {"run": run["id"], "sort": "worst", "limit": 1})
        number = worst["trades"][0]["number"]
        text, _ = await use("explain_trade", {"run": run["id"], "number": number})
        assert re.search(rf"Trade {number} of", text), text
        _, tighter = await use("run_backtest", {"prompt": prompt.replace("stop at 20c", "stop at 25c")})
        await use("compare_runs", {"a": run["id"], "b": tighter["id"]})
        text, _ = await use("sweep", {"prompt": prompt, "vary": ["entry.0.threshold=0.3:0.4:0.05"]})
        assert "Sweep sweep_" in text, text


async def main():
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as http:
        async with streamable_http_client(f"{base}/mcp", http_client=http) as streams:
            await study(streams[0], streams[1])
    with open(os.devnull, "w") as quiet:
        command = StdioServerParameters(command=binary, args=["mcp", "--archive", archive], env=dict(os.environ))
        async with stdio_client(command, errlog=quiet) as (read, write):
            await study(read, write)
    print("the Python SDK: a study over HTTP and over stdio, one receipt")


asyncio.run(main())
