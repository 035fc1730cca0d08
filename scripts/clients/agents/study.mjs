// A whole study by the TypeScript SDK: that of the revisions up to 2025-11-25, and that of
// 2026-07-28, each over HTTP and over stdio. Usage: node study.mjs BASE KEY BINARY ARCHIVE
// RECEIPT, which is that of `ladderback backtest` for $PROMPT.
import assert from 'node:assert/strict';
import * as old from '@modelcontextprotocol/sdk/client/index.js';
import * as oldStdio from '@modelcontextprotocol/sdk/client/stdio.js';
import * as oldHTTP from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as now from '@modelcontextprotocol/client';
import * as nowStdio from '@modelcontextprotocol/client/stdio';
import { steps } from './steps.mjs';

const [base, key, binary, archive, receipt] = process.argv.slice(2);
const program = { command: binary, args: ['mcp', '--archive', archive], env: process.env, stderr: 'inherit' };
const web = [new URL(`${base}/mcp`), { requestInit: { headers: { Authorization: `Bearer ${key}` } } }];
const name = { name: 'study', version: '1' };

async function study(client, transport, call, by) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.equal(tools.length, 10);
  for (const t of tools) assert.ok(t.description && t.inputSchema);
  assert.equal((await client.listPrompts()).prompts.length, 3);
  assert.match((await client.readResource({ uri: 'ladderback://guide/language' })).contents[0].text, /Up/);
  const ticks = await steps(async (tool, args, refused = false) => {
    const ticks = [];
    const r = await call({ name: tool, arguments: args }, { onprogress: (p) => ticks.push(p) });
    assert.equal(r.isError === true, refused, `${tool}: ${r.content[0].text}`);
    assert.equal(r.structuredContent === undefined, refused, tool);
    return { text: r.content[0].text, out: r.structuredContent, ticks };
  }, receipt);
  const revision = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion;
  await client.close();
  console.log(`${by}, ${revision ?? '2025-11-25'}: a study of 1,000 rounds, told ${ticks} times how far it was; one receipt`);
}

for (const [by, transport] of [['HTTP', new oldHTTP.StreamableHTTPClientTransport(...web)], ['stdio', new oldStdio.StdioClientTransport(program)]]) {
  const client = new old.Client(name);
  await study(client, transport, (params, options) => client.callTool(params, undefined, options), `@modelcontextprotocol/sdk over ${by}`);
}
for (const [by, transport] of [['HTTP', new now.StreamableHTTPClientTransport(...web)], ['stdio', new nowStdio.StdioClientTransport(program)]]) {
  const client = new now.Client(name, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await study(client, transport, (params, options) => client.callTool(params, options), `@modelcontextprotocol/client over ${by}`);
}
