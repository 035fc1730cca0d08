// A whole study by the inspector's command line, a process a call, in both eras of the
// protocol, and what the inspector says of the list of tools. Usage: node inspector.mjs BASE
// KEY BINARY ARCHIVE RECEIPT, which is that of `ladderback backtest` for $PROMPT.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { steps } from './steps.mjs';

const [base, key, binary, archive, receipt] = process.argv.slice(2);
const run = promisify(execFile);
const inspect = (...args) => run(process.execPath, ['node_modules/.bin/mcp-inspector', '--cli', '--format', 'json', '--quiet', ...args], { maxBuffer: 1 << 26 });
const web = ['--server-url', `${base}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`];
const program = [binary, 'mcp', '--archive', archive];

for (const target of [web, program]) {
  const { stdout } = await inspect(...target, '--method', 'tools/list', '--strict'); // a fault of a schema is an error
  assert.equal(JSON.parse(stdout).result.tools.length, 10, stdout.slice(0, 200));
}
for (const era of ['legacy', 'modern']) {
  await steps(async (tool, args, refused = false) => {
    let r, failed = false;
    try {
      r = await inspect(...web, '--protocol-era', era, '--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args));
    } catch (e) { // a tool's error is an exit code
      [r, failed] = [e, true];
    }
    assert.equal(failed, refused, `${tool}: ${r.stdout}${r.stderr}`);
    const { result } = JSON.parse(r.stdout);
    return { text: result.content[0].text, out: result.structuredContent, ticks: null };
  }, receipt);
  console.log(`the inspector's command line, ${era}: a study of 1,000 rounds; one receipt`);
}
