// A run as a task of the extension, by its own client: a sweep that takes longer than a call
// waits is told as a task, its result is that of get_run; another is cancelled, and its run
// with it. Usage: node tasks.mjs BASE KEY
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';

const [base, key] = process.argv.slice(2);
const url = new URL(`${base}/mcp`);
const revision = '2026-07-28';
const clientInfo = { name: 'tasks', version: '1' };
const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const client = new Client(clientInfo, { capabilities, versionNegotiation: { mode: { pin: revision } } });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${key}` } } }));

// The requests that the SDK's own codec does not know, over plain HTTP.
let id = 0;
const asked = {};
async function rawDispatch(request, options) {
  const { method, params } = request;
  asked[method] = (asked[method] ?? 0) + 1;
  const answer = await fetch(url, {
    method: 'POST',
    signal: options?.signal,
    headers: {
      'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', Authorization: `Bearer ${key}`,
      'Mcp-Protocol-Version': revision, 'Mcp-Method': method, 'Mcp-Name': params.taskId ?? params.name, ...options?.context?.headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
  });
  const text = await answer.text();
  const messages = answer.headers.get('content-type').startsWith('text/event-stream')
    ? text.split('\n').filter((l) => l.startsWith('data:')).map((l) => JSON.parse(l.slice(5))) : [JSON.parse(text)];
  const { result, error } = messages.find((m) => m.id === id);
  return error ? { kind: 'error', error } : { kind: 'result', result };
}
const session = createTaskSessionFromClient(client, { endpointId: base, rawDispatch, v2RequestFraming: { protocolVersion: revision, clientInfo, clientCapabilities: capabilities } });
const long = (last) => ({
  prompt: `Buy Up on BTC 5m when Up fell by 3c in 20 seconds, take profit at 60c, stop at 20c, $20 per trade, last ${last} markets`,
  vary: ['entry.0.threshold=0.01:0.25:0.01', 'exit.take_profit=0.5,0.55,0.6,0.65,0.7', 'exit.stop_loss=0.05:0.4:0.05'],
});

const execution = await session.callTool('sweep', long(1000));
const { outcome } = await execution.settle();
const result = resultFromTaskOutcome(outcome);
assert.match(result.content[0].text, /1,?000 variants[^]*Sweep sweep_/);
assert.ok(asked['tasks/get'] > 0, JSON.stringify(asked));
const [run] = result.content[0].text.match(/sweep_[a-z0-9]+/);
const again = await client.callTool({ name: 'get_run', arguments: { id: run } });
assert.deepEqual(result.content, again.content);

const other = await session.callTool('sweep', long(999));
await other.cancel();
assert.equal(asked['tasks/cancel'], 1, JSON.stringify(asked));
await other.settle().catch(() => {});
await session.close();
await client.close();
console.log(`the extension's own client: a sweep as a task, asked for ${asked['tasks/get']} times; another cancelled`);
