// The family's own server of tools, @polyorderbooks/mcp-server, unchanged, beside the toolset
// `family`: the same names, arguments and bounds, and to each call the same answer, to the
// letter. Usage: node family.mjs BASE BINARY THEIRS OURS STARTER STARTER2 (keys; two of each
// plan, so that neither is counted against the other).
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [base, binary, ...keys] = process.argv.slice(2);
const packageOf = 'node_modules/@polyorderbooks/mcp-server/dist/index.js';

async function connect(transport) {
  const client = new Client({ name: 'family', version: '1' });
  await client.connect(transport);
  return client;
}
const program = (command, args, env) => connect(new StdioClientTransport({ command, args, env: { ...process.env, ...env }, stderr: 'inherit' }));
const theirs = (key) => program(process.execPath, [packageOf], { POLYORDERBOOKS_BASE_URL: base, POLYORDERBOOKS_API_KEY: key });
const ours = {
  stdio: (key) => program(binary, ['mcp', '--server', base, '--tools', 'family'], { LADDERBACK_API_KEY: key }),
  http: (key) => connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp?tools=family`), { requestInit: { headers: { Authorization: `Bearer ${key}` } } })),
};

// shape is what a client may send: names, types, bounds, what is required.
const shape = ({ tools }) => Object.fromEntries(tools.map((t) => [t.name, {
  required: [...(t.inputSchema.required ?? [])].sort(),
  arguments: Object.fromEntries(Object.entries(t.inputSchema.properties ?? {}).sort().map(([name, s]) => [name, { type: s.type, enum: s.enum, least: s.minimum, most: s.maximum }])),
}]).sort());

// What is left of an allowance goes by the clock, and so does the begin of a plan's history;
// of its own keys and prices the other server says where its own makers sell them.
const still = (text) => text.replace(/"requests_remaining": \d+/, '"requests_remaining": N').replace(/"reset_at": ("[^"]*"|null)/, '"reset_at": T')
  .replace(/start_ts allowed is \S+/, 'start_ts allowed is T.')
  .replace(/ (See|Plan limits are at) https:\/\/polyorderbooks\.com\/pricing$| get_usage says what (it|the plan) has\.$/, '');

async function answer(client, name, args) {
  try {
    const r = await client.callTool({ name, arguments: args });
    assert.equal(r.content.length, 1, name);
    return { error: r.isError === true, text: still(r.content[0].text) };
  } catch (e) { // what the protocol itself refuses, each in its words
    return { error: true, text: 'arguments', why: String(e) };
  }
}

const own = await theirs(keys[0]);
const found = await own.callTool({ name: 'search_markets', arguments: { search: 'btc', include_closed: true, limit: 100 } });
const market = JSON.parse(found.content[0].text).data.find((m) => m.status === 'resolved');
const window = { id_or_slug: market.slug, start_ts: market.start_date, end_ts: market.end_date };
const history = ['get_order_book_history', 'get_price_history', 'get_market_metrics'];
const first = JSON.parse((await own.callTool({ name: 'get_price_history', arguments: { ...window, resolution: '1s', limit: 7 } })).content[0].text);
const calls = [
  ['search_markets', {}],
  ['search_markets', { search: 'btc', include_closed: true }],
  ['search_markets', { search: '', include_closed: false, limit: 100 }],
  ['search_markets', { search: market.slug, include_closed: true, end_date_min: market.start_date, end_date_max: market.end_date, limit: 1 }],
  ['search_markets', { search: 'x'.repeat(201) }],
  ['search_markets', { end_date_min: 'yesterday' }],
  ['search_markets', { search: '%_&?#/ ü☃' }],
  ['search_series', {}],
  ['search_series', { search: 'btc-up-or-down', limit: 1 }],
  ['search_events', { search: market.slug }],
  ['search_events', { end_date_min: market.start_date, end_date_max: market.end_date, limit: 3 }],
  ['get_market', { id_or_slug: market.slug }],
  ['get_market', { id_or_slug: market.id }],
  ['get_market', { id_or_slug: 'nobody' }],
  ['get_market', { id_or_slug: 'a/b?c=d#e&f ü' }],
  ...history.flatMap((name) => [
    [name, window],
    ...['1s', '5s', '15s', '1m', '5m', '15m', '1h', '1d'].map((resolution) => [name, { ...window, resolution }]),
    [name, { ...window, resolution: '1s', limit: 200 }],
    [name, { ...window, resolution: '1s', limit: 1 }],
    [name, { ...window, cursor: '' }],
    [name, { ...window, cursor: 'nonsense' }],
    [name, { ...window, id_or_slug: 'nobody' }],
    [name, { ...window, start_ts: '2020-01-01T00:00:00Z' }],
    [name, { ...window, start_ts: window.end_ts, end_ts: window.start_ts }],
    [name, { ...window, start_ts: String(Date.parse(window.start_ts)) }], // milliseconds
  ]),
  ['get_price_history', { ...window, resolution: '1s', limit: 7, cursor: first.metadata.next_cursor }],
  ['get_order_book_history', { ...window, resolution: '1s', limit: 7, cursor: first.metadata.next_cursor }], // of another request
  ['get_price_history', { ...window, resolution: '1s', limit: 201 }],
  ['get_price_history', { ...window, resolution: '2s' }],
  ['get_price_history', { id_or_slug: market.slug }],
  ['search_markets', { limit: 0 }],
  ['search_markets', { limit: '20' }],
  ['get_usage', {}],
];
const want = [];
for (const [name, args] of calls) want.push(await answer(own, name, args));
const starter = await theirs(keys[2]);
const refused = ['get_order_book_history', { ...window, start_ts: '2020-01-01T00:00:00Z', end_ts: '2020-01-02T00:00:00Z' }];
want.push(await answer(starter, ...refused));
for (const [by, begin] of Object.entries(ours)) {
  const client = await begin(keys[1]);
  assert.deepEqual(shape(await client.listTools()), shape(await own.listTools()));
  const got = [];
  for (const [name, args] of calls) got.push(await answer(client, name, args));
  const small = await begin(keys[3]);
  got.push(await answer(small, ...refused));
  [...calls, refused].forEach(([name, args], i) => {
    const place = `${by}: ${name} ${JSON.stringify(args)}`;
    if (want[i].text === 'arguments' || (want[i].error && /^(Input validation|MCP error)/.test(want[i].text))) return assert.ok(got[i].error, place);
    assert.deepEqual(got[i], want[i], place);
  });
  await client.close();
  await small.close();
}
await own.close();
await starter.close();
const answered = want.filter((w) => !w.error).length;
console.log(`the family's own server: ${want.length} calls, ${answered} of them answered, the others refused, each as ours over stdio and HTTP`);
