// How many tokens (o200k_base) agents read: of the lists of tools, and of the answers of a
// study. Usage: node tokens.mjs BASE KEY
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

const [base, key] = process.argv.slice(2);
const connect = async (tools) => {
  const client = new Client({ name: 'tokens', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp?tools=${tools}`), { requestInit: { headers: { Authorization: `Bearer ${key}` } } }));
  return client;
};
const most = { study: 3500, family: 3500 };
for (const set of ['family', 'study']) {
  const client = await connect(set);
  const { tools } = await client.listTools();
  const n = countTokens(JSON.stringify(tools));
  assert.ok(n <= most[set], `${set}: ${n}`);
  console.log(`the list of toolset ${set}: ${tools.length} tools, ${n} tokens`);
  await client.close();
}
const client = await connect('study');
const use = async (name, args) => {
  const r = await client.callTool({ name, arguments: args });
  assert.ok(!r.isError, r.content[0].text);
  const n = countTokens(r.content[0].text);
  assert.ok(n <= 2000, `${name}: ${n}`);
  console.log(`${name} ${JSON.stringify(args.detail ?? args.kind ?? '')}: ${n} tokens`);
  return r.structuredContent;
};
const { markets } = await use('find_markets', {});
const market = markets.find((m) => m.status === 'resolved').slug;
for (const kind of ['prices', 'quotes', 'metrics', 'books']) await use('get_history', { market, kind });
const prompt = process.env.PROMPT;
await use('parse_strategy', { prompt });
const run = await use('run_backtest', { prompt, detail: 'standard' });
await use('get_run', { id: run.id, detail: 'headline' });
const { trades } = await use('list_trades', { run: run.id, sort: 'worst' });
await use('explain_trade', { run: run.id, number: trades[0].number });
const other = await use('run_backtest', { prompt: prompt.replace('stop at 20c', 'stop at 25c'), detail: 'standard' });
await use('compare_runs', { a: run.id, b: other.id });
await use('sweep', { prompt, sample_size: 200, vary: ['exit.stop_loss=0.15:0.25:0.05'] });
await use('get_usage', {});
await client.close();
