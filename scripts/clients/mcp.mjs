// Drives the MCP server of another project over stdio, line by line of JSON-RPC,
// against our API. Usage: node mcp.mjs SERVER.js SLUG START END
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import assert from 'node:assert/strict';

const [server, slug, start, end] = process.argv.slice(2);
const child = spawn(process.execPath, [server], { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
createInterface({ input: child.stdout }).on('line', (line) => {
  const m = JSON.parse(line);
  waiting.get(m.id)?.(m);
  waiting.delete(m.id);
});
child.on('exit', (code) => { if (waiting.size) { console.error('the MCP server ended with', code); process.exit(1); } });

let id = 0;
const send = (m) => child.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...m }) + '\n');
const ask = (method, params) => new Promise((resolve) => {
  waiting.set(++id, resolve);
  send({ id, method, params });
});
async function call(name, args) {
  const { result, error } = await ask('tools/call', { name, arguments: args });
  assert.equal(error, undefined, JSON.stringify(error));
  return { failed: result.isError === true, text: result.content[0].text };
}
async function data(name, args) {
  const r = await call(name, args);
  assert.equal(r.failed, false, `${name}: ${r.text}`);
  return JSON.parse(r.text);
}

const hello = await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } });
assert.equal(hello.result.serverInfo.name, 'polyorderbooks');
send({ method: 'notifications/initialized' });
const tools = (await ask('tools/list', {})).result.tools.map((t) => t.name).sort();
const used = new Set();
const use = (name, args) => { used.add(name); return data(name, args); };

const open = await use('search_markets', { limit: 5 });
assert.ok(open.data.every((m) => m.status === 'open'));
const all = await use('search_markets', { search: slug, include_closed: true, end_date_min: start, end_date_max: end });
assert.equal(all.data[0].slug, slug);
assert.equal((await use('search_series', { search: 'btc-up-or-down', limit: 10 })).data[0].slug, 'btc-up-or-down-5m');
assert.equal((await use('search_events', { search: slug, end_date_min: start, end_date_max: end })).data[0].slug, slug);
const market = await use('get_market', { id_or_slug: slug });
assert.equal(market.status, 'resolved');
assert.ok(market.tokens.some((t) => t.id === market.winning_token_id));

const window = { id_or_slug: slug, start_ts: start, end_ts: end };
for (const [tool, perPoint] of [['get_order_book_history', 2], ['get_price_history', 2], ['get_market_metrics', 1]]) {
  let cursor, points = 0, pages = 0;
  do {
    const page = await use(tool, { ...window, resolution: '1s', limit: 200, cursor });
    points += page.metadata.count;
    pages++;
    cursor = page.metadata.next_cursor ?? undefined;
  } while (cursor);
  assert.equal(points, 300 * perPoint, `${tool}: points of a 5m round`);
  assert.equal(pages, Math.ceil(points / 200));
  assert.ok((await use(tool, window)).metadata.count > 0, 'defaults');
}
for (const resolution of ['1s', '5s', '15s', '1m', '5m', '15m', '1h', '1d']) {
  assert.equal((await use('get_market_metrics', { ...window, resolution, limit: 1 })).resolution, resolution);
}
const books = await use('get_order_book_history', { ...window, resolution: '1s', limit: 2 });
const [bestBid, bestAsk] = ['bids', 'asks'].map((side) => books.data.Up[0][side][0]);
assert.ok(bestBid.length === 2 && bestBid[0] < bestAsk[0], 'best first, [price, size]');
const usage = await use('get_usage', {});
assert.equal(usage.plan, 'pro');
assert.equal(usage.limits.requests_per_minute, 300);
assert.deepEqual([...used].sort(), tools, 'every tool was used');

const missing = await call('get_market', { id_or_slug: 'nobody' });
assert.ok(missing.failed && missing.text.includes('market not found: nobody'), missing.text);
const early = await call('get_price_history', { ...window, start_ts: '2020-01-01T00:00:00Z' });
assert.ok(early.failed && early.text.includes('earliest start_ts'), early.text);
const coarse = await call('get_market_metrics', { ...window, cursor: 'nonsense' });
assert.ok(coarse.failed && coarse.text.startsWith('API error 400: ') && coarse.text.includes('cursor'), coarse.text);
const bad = await call('search_markets', { search: 'x'.repeat(201) });
assert.ok(bad.failed && bad.text.startsWith('API error 422: search:'), bad.text);
console.log(`MCP server: ${tools.length} tools answered`);
child.stdin.end();
child.kill();
