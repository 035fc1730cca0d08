// Shows answers in the view of the apps extension, as a host does: the extension's own
// bridge in a real browser, the view in a frame with scripts alone and no network.
// Usage: node host.mjs BASE KEY [PICTURES]
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';

const [base, key, pictures] = process.argv.slice(2);
const client = new Client({ name: 'host', version: '1' }, { capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } } });
await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit: { headers: { Authorization: `Bearer ${key}` } } }));
const { tools } = await client.listTools();
const uri = tools.find((t) => t.name === 'run_backtest')._meta.ui.resourceUri;
assert.equal(tools.find((t) => t.name === 'explain_trade')._meta.ui.resourceUri, uri);
const [view] = (await client.readResource({ uri })).contents;
assert.equal(view.mimeType, 'text/html;profile=mcp-app');

const run = await client.callTool({ name: 'run_backtest', arguments: { prompt: process.env.PROMPT } });
const trade = await client.callTool({ name: 'explain_trade', arguments: { run: run.structuredContent.id, number: 1 } });
const refused = await client.callTool({ name: 'run_backtest', arguments: { prompt: 'Buy <img src=x onerror=alert(1)> when RSI crosses 30' } });

const bundled = await build({
  stdin: {
    resolveDir: process.cwd(),
    contents: `
      import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
      window.host = async (html, result, args) => {
        const frame = document.createElement('iframe');
        frame.sandbox = 'allow-scripts';
        frame.style = 'width:100%;height:100vh;border:0';
        document.body.replaceChildren(frame);
        const bridge = new AppBridge(null, { name: 'host', version: '1' }, { serverResources: {} });
        bridge.onreadresource = (params) => window.readResource(params);
        bridge.onsizechange = (size) => { window.size = size; };
        const begun = new Promise((resolve) => { bridge.oninitialized = resolve; });
        await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
        frame.srcdoc = html;
        await begun;
        await bridge.sendToolInput({ arguments: args });
        await bridge.sendToolResult(result);
      };`,
  },
  bundle: true, write: false, format: 'iife',
});
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync), args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 900, height: 1100 } });
const faults = [];
page.on('pageerror', (e) => faults.push(String(e)));
page.on('dialog', (d) => { faults.push(`a dialog: ${d.message()}`); d.dismiss(); });
page.on('request', (r) => { if (!r.url().startsWith('about:') && !r.url().startsWith('data:')) faults.push(`a request to ${r.url()}`); });
await page.setContent('<!DOCTYPE html><body style="margin:0"></body>');
await page.exposeFunction('readResource', (params) => client.readResource(params));
await page.addScriptTag({ content: bundled.outputFiles[0].text });
// What a host allows a view that asks for nothing.
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">`;
const html = view.text.replace('<head>', `<head>${policy}`);

async function shows(name, result, ...texts) {
  await page.evaluate(([h, r]) => window.host(h, r, {}), [html, result]);
  const frame = page.frameLocator('iframe');
  for (const text of texts) await frame.getByText(text).first().waitFor({ timeout: 20_000 });
  assert.ok(await page.evaluate(() => window.size?.height > 100), 'the view says how high it is');
  if (pictures) {
    mkdirSync(pictures, { recursive: true });
    writeFileSync(path.join(pictures, `${name}.png`), await page.screenshot());
  }
}
await shows('run', run, /trades/i, 'Receipt');
await shows('trade', trade, /Trade 1 of/, 'Shown', 'Taken');
// Markup in the name of a market is text.
const markup = '</script><img src=x onerror=alert(1)>';
const named = JSON.parse(JSON.stringify(trade).replaceAll(trade.structuredContent.trade.market_slug, JSON.stringify(markup).slice(1, -1)));
named.structuredContent.trade.token_label = markup;
await shows('markup', named, `Trade 1 of ${trade.structuredContent.of}: ${markup} in ${markup}`);
assert.equal(await page.frameLocator('iframe').locator('img').count(), 0);
await shows('refused', refused, /Do not retry it unchanged/);
assert.deepEqual(faults, []);
await browser.close();
await client.close();
console.log('apps: a run, a trade, a name with markup and a refusal in a view without a network');
