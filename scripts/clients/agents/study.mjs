// A whole study by the TypeScript SDK. Usage: node study.mjs BASE KEY BINARY ARCHIVE RECEIPT
// RECEIPT is that of `ladderback backtest` for the prompt below.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [base, key, binary, archive, receipt] = process.argv.slice(2);
const prompt = process.env.PROMPT;

async function study(transport) {
  const client = new Client({ name: 'study', version: '1' });
  await client.connect(transport);
  const use = async (name, args, failed = false) => {
    const r = await client.callTool({ name, arguments: args }, undefined, { onprogress: () => {} });
    assert.equal(r.isError === true, failed, `${name}: ${r.content[0].text}`);
    return { text: r.content[0].text, out: r.structuredContent };
  };
  const { tools } = await client.listTools();
  assert.ok(tools.length <= 10);
  for (const t of tools) assert.ok(t.description && t.inputSchema);
  assert.equal((await client.listPrompts()).prompts.length, 3);
  assert.match((await client.readResource({ uri: 'ladderback://guide/language' })).contents[0].text, /Up/);
  assert.match((await use('find_markets', { coin: 'BTC' })).text, /BTC 5m/);
  assert.match((await use('parse_strategy', { prompt: 'Buy when RSI crosses 30' }, true)).text, /Do not retry it unchanged/);
  const run = await use('run_backtest', { prompt });
  assert.equal(run.out.receipt.report, receipt);
  const { out: worst } = await use('list_trades', { run: run.out.id, sort: 'worst', limit: 1 });
  const first = worst.trades[0].number;
  assert.match((await use('explain_trade', { run: run.out.id, number: first })).text, new RegExp(`Trade ${first} of`));
  const tighter = await use('run_backtest', { prompt: prompt.replace('stop at 20c', 'stop at 25c') });
  await use('compare_runs', { a: run.out.id, b: tighter.out.id });
  assert.match((await use('sweep', { prompt, vary: ['entry.0.threshold=0.3:0.4:0.05'] })).text, /Sweep sweep_/);
  await use('get_usage', {});
  await client.close();
}

await study(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit: { headers: { Authorization: `Bearer ${key}` } } }));
await study(new StdioClientTransport({ command: binary, args: ['mcp', '--archive', archive], env: process.env, stderr: 'inherit' }));
console.log('the TypeScript SDK: a study over HTTP and over stdio, one receipt');
