// Adds a key to what the conformance suite sends, which has no option for one.
// Usage: node proxy.mjs PORT TARGET KEY
import http from 'node:http';

const [port, target, key] = process.argv.slice(2);
const to = new URL(target);
const own = new Set([`localhost:${port}`, `127.0.0.1:${port}`]);
http.createServer((q, a) => {
  const headers = { ...q.headers, authorization: `Bearer ${key}` };
  if (own.has(headers.host)) headers.host = to.host;
  if (headers.origin && own.has(new URL(headers.origin).host)) headers.origin = to.origin;
  const on = http.request({ host: to.hostname, port: to.port, path: q.url, method: q.method, headers }, (r) => {
    a.writeHead(r.statusCode, r.headers);
    r.pipe(a);
  });
  on.on('error', () => a.destroy());
  a.on('close', () => on.destroy());
  q.pipe(on);
}).listen(Number(port), '127.0.0.1', () => console.log('ready'));
