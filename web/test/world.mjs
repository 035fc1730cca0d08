// A server over the demo archive and a browser that looks at it. Every page notes what
// must not happen: errors, violations of the policy, requests to other hosts.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import assert from 'node:assert/strict'
import { chromium } from 'playwright-core'

export async function freePort() {
  const s = net.createServer().listen(0, '127.0.0.1')
  await once(s, 'listening')
  const { port } = s.address()
  s.close()
  await once(s, 'close')
  return port
}

const bin = process.env.LADDERBACK_BIN
assert.ok(bin, 'LADDERBACK_BIN names the binary')

// How many times slower than it is the machine of the browser is to seem: 1 is as it is.
const slow = Number(process.env.LADDERBACK_SLOW ?? 1)
assert.ok(slow >= 1, 'LADDERBACK_SLOW is a number from 1')

export const patience = 120_000 // milliseconds that a wait takes at most; none waits for a time

/** axeLooks are the colours and widths that axe looks at a screen in: few, or with LADDERBACK_AXE=all from a phone to the widest, light and dark, and at a zoom of 200 % (1280 is 640 wide then). */
export const axeLooks =
  process.env.LADDERBACK_AXE === 'all'
    ? ['light', 'dark'].flatMap((s) => [390, 640, 768, 1280, 1920, 2560].map((w) => [s, w]))
    : undefined

const browsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/** launched starts the browser: a Chromium without what is around a page, where there is one. */
export const launched = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? browsers.find(existsSync),
    // Letters are as wide as on a screen.
    args: ['--no-sandbox', '--font-render-hinting=none'],
    timeout: patience,
  })

export class World {
  /** begin serves the demo archive; set may change how, given the world with its folder and its address. */
  static async begin(set = async () => {}) {
    const w = new World()
    w.args = []
    w.env = {}
    w.hosts = [] // beside the server's own
    w.cookies = new Set() // values of all that pages were given
    w.dir = await mkdtemp(join(tmpdir(), 'ladderback-web-'))
    w.port = await freePort()
    w.base = `http://127.0.0.1:${w.port}`
    await set(w)
    await w.serve()
    w.browser = await launched()
    return w
  }

  async serve() {
    this.server = spawn(
      bin,
      [
        'serve',
        '--addr',
        `127.0.0.1:${this.port}`,
        '--metrics-addr',
        'none',
        '--local-key',
        '--access',
        join(this.dir, 'keys.db'),
        ...this.args,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...this.env } },
    )
    this.log = ''
    this.server.stderr.on('data', (d) => {
      this.log += d
    })
    this.out = ''
    this.server.stdout.on('data', (d) => {
      this.out += d
    })
    for (;;) {
      try {
        if (this.out.includes('\n') && (await fetch(this.base + '/readyz')).ok) break
      } catch {
        // not yet
      }
      assert.equal(this.server.exitCode, null, this.log)
      await new Promise((r) => setTimeout(r, 100))
    }
    this.key = this.out.split('\n')[0]
  }

  async kill(signal = 'SIGTERM') {
    if (this.server.exitCode !== null || this.server.signalCode !== null) return
    this.server.kill(signal)
    await once(this.server, 'exit')
  }

  /** makeKey returns a key of a plan. */
  async makeKey(plan) {
    const made = spawn(bin, [
      'keys',
      'create',
      '--plan',
      plan,
      '--name',
      plan + Math.random(),
      '--access',
      join(this.dir, 'keys.db'),
      '--json',
    ])
    let out = ''
    made.stdout.on('data', (d) => {
      out += d
    })
    await once(made, 'close')
    return JSON.parse(out).key
  }

  async api(path, init = {}) {
    const r = await fetch(this.base + '/v1' + path, {
      ...init,
      headers: { Authorization: 'Bearer ' + (init.key ?? this.key), ...init.headers },
    })
    return r.status === 204 ? undefined : r.json()
  }

  /** ran makes a run over the API and waits for its end. */
  async ran(prompt, options = {}) {
    const made = await this.api('/ai/backtests', {
      method: 'POST',
      body: JSON.stringify({ prompt, options: { include: ['fills', 'sensitivity'], ...options } }),
    })
    assert.ok(made.id, JSON.stringify(made))
    return this.ended('/ai/backtests/' + made.id)
  }

  /** ended waits for the end of the run or the sweep at a path of the API. */
  async ended(path) {
    for (;;) {
      const at = await this.api(path + '?wait=30s')
      if (!['queued', 'running'].includes(at.state)) return at
    }
  }

  /** open shows a path of the page to somebody, signed in unless key is null. */
  async open(
    path,
    {
      key = this.key,
      width = 1440,
      height = 900,
      scheme = 'light',
      script = true,
      state,
      touch = false,
      before,
    } = {},
  ) {
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
      javaScriptEnabled: script,
      storageState: state,
      hasTouch: touch,
      isMobile: touch,
    })
    context.setDefaultTimeout(patience)
    if (key)
      assert.ok((await context.request.post(this.base + '/app/session', { data: { key } })).ok())
    const page = await context.newPage()
    const wrong = (page.wrong = [])
    page.on('pageerror', (e) => wrong.push('error: ' + e.message))
    // The browser itself notes every answer of 400 and more; those are told on the page.
    page.on(
      'console',
      (m) =>
        ['error', 'warning'].includes(m.type()) &&
        !m.text().startsWith('Failed to load resource') &&
        wrong.push('console: ' + m.text()),
    )
    page.on(
      'request',
      (r) =>
        ![this.base, ...this.hosts].some((h) => r.url().startsWith(h)) &&
        !/^(data|blob):/.test(r.url()) &&
        wrong.push('another host: ' + r.url()),
    )
    page.on(
      'response',
      (r) =>
        r.url().startsWith(this.base + '/app/') &&
        r.headerValue('set-cookie').then(
          (c) => c && this.cookies.add(/=([^;]*)/.exec(c)[1]),
          () => {},
        ),
    )
    await page.addInitScript(() =>
      document.addEventListener('securitypolicyviolation', (e) =>
        console.error('policy: ' + e.violatedDirective),
      ),
    )
    await this.throttle(page, slow)
    await before?.(page)
    await page.goto(path.startsWith('about:') ? path : this.base + path)
    return page
  }

  /** throttle makes a page so many times slower than the machine, also after it has gone elsewhere. */
  async throttle(page, rate) {
    if (rate === 1 && !page.throttle) return
    const browser = (page.throttle ??= await page.context().newCDPSession(page))
    const set = () => browser.send('Emulation.setCPUThrottlingRate', { rate })
    page.off('framenavigated', page.rethrottle ?? (() => {}))
    page.on(
      'framenavigated',
      (page.rethrottle = (frame) => frame === page.mainFrame() && set().catch(() => {})),
    ) // closed meanwhile
    await set()
  }

  /** keys sends key presses all at once, as they lie in the queue of a machine that is behind, and as if all were pressed at the same time: names of keys ('Enter', 'Control+k'), or text to type. */
  async keys(page, ...presses) {
    const browser = await page.context().newCDPSession(page)
    const codes = { Enter: [13, '\r'], Escape: [27], End: [35] }
    const sent = []
    const timestamp = Date.now() / 1000
    const press = (key, modifiers, [code, text]) => {
      const event = {
        timestamp,
        key,
        modifiers,
        windowsVirtualKeyCode: code,
        code: /^[a-z]$/i.test(key) ? 'Key' + key.toUpperCase() : '',
      }
      sent.push(
        browser.send('Input.dispatchKeyEvent', {
          ...event,
          type: text ? 'keyDown' : 'rawKeyDown',
          ...(text && { text }),
        }),
        browser.send('Input.dispatchKeyEvent', { ...event, type: 'keyUp' }),
      )
    }
    for (const p of presses) {
      if (p.startsWith('Control+'))
        press(p.slice(8), 2, [codes[p.slice(8)]?.[0] ?? p.slice(8).toUpperCase().charCodeAt(0)])
      else if (codes[p]) press(p, 0, codes[p])
      else for (const c of p) press(c, 0, [c.toUpperCase().charCodeAt(0), c])
    }
    await Promise.all(sent)
    await browser.detach()
  }

  /** close ends a page, on which nothing may have gone wrong. */
  async close(page) {
    assert.deepEqual(page.wrong, [])
    await page.context().close()
  }

  async end() {
    await this.browser?.close()
    await this.kill()
    await rm(this.dir, { recursive: true, force: true })
  }
}
