// What the tests of single components share: a document without a browser, a clock that
// stands still until it is moved, a server that a test answers for, and hands and eyes.
// Nothing is laid out here: what sticks out or lies over another is for a browser.
import { Window } from 'happy-dom'
import assert from 'node:assert/strict'
import { beforeEach } from 'node:test'
import { h, render } from 'preact'
import { act } from 'preact/test-utils'
import { blank, set } from '../src/bench'

const window = new Window({ url: 'http://house/', width: 1440, height: 900 })
const { document, localStorage } = window

/** gone notes where the page went for good, what it told in a box and which files it handed on: nothing is loaded here. */
export const gone = []
window.location.assign = (to) => void gone.push(to)
window.location.replace = (to) => void gone.push(to)
window.location.reload = () => void gone.push('again')
window.HTMLAnchorElement.prototype.click = function () {
  if (this.download) gone.push(this.download)
  else this.dispatchEvent(new window.MouseEvent('click', { bubbles: true, cancelable: true }))
}
URL.createObjectURL = (blob) => {
  gone.push(blob.text())
  return 'blob:'
}

/** painted are the calls by which pictures were painted: a name, and what it was given. */
export const painted = []
window.HTMLCanvasElement.prototype.getContext = () =>
  new Proxy(
    {
      measureText: (text) => ({ width: 7 * text.length }),
      createImageData: (w, h) => ({ data: new Uint8ClampedArray(4 * w * h) }),
    },
    { get: (has, name) => has[name] ?? ((...given) => painted.push([name, ...given])) },
  )
// A dialog takes the focus into its first field, and gives it back.
const dialog = window.HTMLDialogElement.prototype
for (const [name, more] of Object.entries({
  showModal() {
    this.cameFrom = document.activeElement
    this.querySelector('input, button')?.focus()
  },
  close() {
    this.cameFrom?.focus()
  },
})) {
  const own = dialog[name]
  dialog[name] = function () {
    own.call(this)
    more.call(this)
  }
}
/** sizes are what is told of its size when it changes: told once by resized. */
let sizes = []
window.ResizeObserver = class {
  constructor(tell) {
    this.tell = tell
    sizes.push(this)
  }
  observe(e) {
    if (!(e instanceof window.Element)) throw new TypeError('what is observed is no element')
  }
  disconnect() {
    sizes = sizes.filter((s) => s !== this)
  }
}
// Elements that are measured are 600 pixels wide, and begin at the left edge.
let wide = 600
Object.defineProperty(window.HTMLElement.prototype, 'clientWidth', { get: () => wide })
Object.defineProperty(window.HTMLElement.prototype, 'clientHeight', { get: () => 300 })
/** resized makes every element so many pixels wide. */
export function resized(to) {
  wide = to
  return does(() => sizes.forEach((s) => s.tell()))
}
window.Element.prototype.getBoundingClientRect = () => ({
  ...{ left: 0, top: 0, right: 600, bottom: 300, width: 600, height: 300, x: 0, y: 0 },
})

/** The clock: timers run when it is moved. */
const noon = Date.parse('2026-04-20T12:00:00Z')
let now = noon
let ran = 0 // of all the tests before, so that no two begin at one time
let timers = []
let last = 0
const later = (f, ms = 0, every = 0) => {
  timers.push({ id: ++last, at: now + ms, every, f })
  return last
}
const never = (id) => {
  timers = timers.filter((t) => t.id !== id)
}
/** due runs what is due by an instant, in order. */
function due(until) {
  for (;;) {
    const next = timers.filter((t) => t.at <= until).sort((a, b) => a.at - b.at || a.id - b.id)[0]
    if (!next) break
    never(next.id)
    now = Math.max(now, next.at)
    if (next.every) timers.push({ ...next, at: next.at + next.every })
    next.f()
  }
  now = until
}
class Clock extends Date {
  constructor(...given) {
    super(...(given.length ? given : [now]))
  }
  static now() {
    return now
  }
}

/** streams are the streams of events that were opened, newest last. */
export const streams = []
class Stream extends window.EventTarget {
  static CLOSED = 2
  readyState = 1
  constructor(url) {
    super()
    this.url = url
    streams.push(this)
  }
  close() {
    this.readyState = 2
  }
  says(type, data) {
    return does(() =>
      this.dispatchEvent(new window.MessageEvent(type, { data: JSON.stringify(data) })),
    )
  }
  breaks() {
    this.close()
    return does(() => this.onerror?.())
  }
}

/** asked are the requests that were sent: { name: "METHOD path", headers, body }. */
export const asked = []
let routes = []
/** serve answers requests from now on by "METHOD path", or by its beginning with a * behind: with a value, [status, value, headers], 'down', or a function of the request that gives one. */
export function serve(answers) {
  for (const [name, answer] of Object.entries(answers)) routes.unshift([name, answer])
}
async function fetch(path, { method = 'GET', body, headers, signal } = {}) {
  const name = `${method} ${path}`
  const sent = { name, headers, ...(body !== undefined && { body: JSON.parse(body) }) }
  asked.push(sent)
  const [, answer] =
    routes.find(([n]) => n === name || (n.endsWith('*') && name.startsWith(n.slice(0, -1)))) ??
    assert.fail(`nobody answers ${name}`)
  let said = await (typeof answer === 'function' ? answer(sent) : answer)
  if (signal?.aborted) throw new Error('aborted')
  if (said === 'down') throw new TypeError('no network')
  if (!Array.isArray(said) || typeof said[0] !== 'number') said = [200, said]
  const [status, value, more = {}] = said
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return new Response(status === 204 ? null : text, { status, headers: more })
}
/** held is an answer that comes when free is called with it. */
export function held() {
  let free
  const answer = new Promise((r) => {
    free = r
  })
  return { answer, free: (value) => (free(value), settle()) }
}

for (const name of [
  ...['document', 'location', 'history', 'localStorage', 'getComputedStyle', 'matchMedia'],
  ...['getSelection', 'addEventListener', 'removeEventListener', 'dispatchEvent', 'navigator'],
  ...['ResizeObserver', 'Event', 'Element', 'FormData', 'innerHeight', 'devicePixelRatio'],
]) {
  const value = window[name]
  const bound = typeof value === 'function' && !value.prototype ? value.bind(window) : value
  Object.defineProperty(globalThis, name, { value: bound, configurable: true, writable: true })
}
Object.assign(globalThis, {
  fetch,
  EventSource: Stream,
  alert: (text) => void gone.push('alert: ' + text),
  scrollTo: () => {},
  Date: Clock,
  setTimeout: (f, ms) => later(f, ms),
  clearTimeout: never,
  setInterval: (f, ms) => later(f, ms, ms),
  clearInterval: never,
  requestAnimationFrame: (f) => later(f, 16),
  cancelAnimationFrame: never,
})
performance.now = () => ran + now - noon
export const clipboard = []
Object.defineProperty(window.navigator, 'clipboard', {
  value: { writeText: async (text) => void clipboard.push(text) },
})

const app = () => document.getElementById('app')
beforeEach(() => {
  if (app()) act(() => render(null, app()))
  document.body.innerHTML = '<div id="app"></div>'
  for (const list of [gone, painted, streams, asked, clipboard, timers, routes]) list.length = 0
  localStorage.clear()
  window.history.replaceState(null, '', '/')
  document.title = ''
  wide = 600
  ran += now - noon + 60_000
  now = noon
  set(blank)
})

/** sound looks for what no component may show: parts without a name, names of what is not there, one id twice, and what is no text. */
function sound() {
  const named = (e) => nameOf(e) || e.title || e.getAttribute('aria-labelledby')
  for (const e of all(
    '[role=region], [role=img], [role=group], [role=list], dialog, aside, nav, progress',
  ))
    assert.ok(
      e.getAttribute('aria-label') || e.getAttribute('aria-labelledby'),
      `no name: ${e.outerHTML}`,
    )
  for (const e of all('button, a[href], summary, [role=option], th button'))
    assert.ok(named(e), `no name: ${e.outerHTML}`)
  for (const e of all('input, select, textarea'))
    assert.ok(
      e.type === 'hidden' ||
        e.hidden ||
        e.getAttribute('aria-label') ||
        e.closest('label') ||
        document.querySelector(`label[for="${e.id || '?'}"]`),
      `no label: ${e.outerHTML}`,
    )
  for (const name of [
    'aria-labelledby',
    'aria-describedby',
    'aria-controls',
    'aria-activedescendant',
  ])
    for (const e of all(`[${name}]`))
      assert.ok(document.getElementById(e.getAttribute(name)), `${name} of nothing: ${e.outerHTML}`)
  const ids = all('[id]').map((e) => e.id)
  assert.equal(new Set(ids).size, ids.length, `one id twice: ${ids}`)
  assert.doesNotMatch(app()?.innerHTML ?? '', /NaN|undefined|\[object|Infinity/)
}

/** does something, and waits for what it leads to: for answers that are there, and for what is drawn of them. */
export async function does(what = () => {}) {
  act(() => void what())
  for (let i = 0; i < 4; i++)
    await act(async () => {
      for (let k = 0; k < 4; k++) await new Promise((r) => setImmediate(r))
      due(now)
    })
  sound()
}
export const settle = () => does()
/** passes moves the clock by so many milliseconds. */
export const passes = (ms) => does(() => due(now + ms))

/** show draws a component in the place of what was there. */
export const show = (what) => does(() => render(what, app()))

/** The eyes: elements by a selector, one that must be there, and the text of one or of all. */
export const all = (selector, of = document) => [...of.querySelectorAll(selector)]
export const one = (selector, of = document) => {
  const found = all(selector, of)
  assert.equal(found.length, 1, `${found.length} are ${selector}: ${app().innerHTML}`)
  return found[0]
}
const plain = (text) => text.replace(/\s+/g, ' ').trim()
export const text = (selector = '#app') => plain(one(selector).textContent)
export const texts = (selector) => all(selector).map((e) => plain(e.textContent))
/** rows are the texts of the cells of a table's body, row by row. */
export const rows = (selector = 'tbody') =>
  all(selector + ' tr').map((r) => [...r.children].map((c) => plain(c.textContent)))
export const empty = () => app().childNodes.length === 0
const nameOf = (e) => plain(e.getAttribute('aria-label') ?? e.textContent)
/** button is the button, link or option of a name: the whole of it, or a pattern. */
export function button(name) {
  const fits = (e) => (name instanceof RegExp ? name.test(nameOf(e)) : nameOf(e) === name)
  const found = all('button, a, summary, [role=option]').filter(fits)
  assert.equal(found.length, 1, `${found.length} are ${name}: ${app().innerHTML}`)
  return found[0]
}
export const buttons = () => all('button').map(nameOf)
/** field is the field of a label. */
export function field(label) {
  const found = all('input, select, textarea').filter((e) => {
    const own = e.closest('label') ?? document.querySelector(`label[for="${e.id || '?'}"]`)
    return (
      e.getAttribute('aria-label') === label || (own && plain(own.textContent).startsWith(label))
    )
  })
  assert.equal(found.length, 1, `${found.length} are ${label}: ${app().innerHTML}`)
  return found[0]
}

/** The hands. */
const bubbling = { bubbles: true, cancelable: true }
const fire = (e, event) => does(() => e.dispatchEvent(event))
/** sent hands in a form, which the page never leaves for. */
async function sent(form, event) {
  await fire(form, event)
  assert.ok(event.defaultPrevented, 'the form leaves the page')
}
export const press = (e) => {
  const at = typeof e === 'string' || e instanceof RegExp ? button(e) : e
  if (at.disabled) return settle()
  if (at.form?.tagName === 'FORM' && at.type === 'submit')
    return sent(at.form, new window.SubmitEvent('submit', { ...bubbling, submitter: at }))
  return fire(at, new window.MouseEvent('click', bubbling))
}
/** key presses a key where the focus is, or on an element; it tells whether the page took it. */
export async function key(name, { on = document.activeElement ?? document.body, ...more } = {}) {
  const event = new window.KeyboardEvent('keydown', { key: name, ...bubbling, ...more })
  await fire(on, event)
  return event.defaultPrevented
}
export const point = (type, e, more = {}) =>
  fire(e, new window.PointerEvent(type, { ...bubbling, pointerType: 'mouse', ...more }))
export const focus = (e) => does(() => e.focus())
export const blur = (e) => does(() => e.blur())
/** put changes a field as somebody who types or chooses, and leaves it. */
export async function put(e, value) {
  const at = typeof e === 'string' ? field(e) : e
  if (at.type === 'checkbox') return press(at)
  at.value = value
  await fire(at, new window.Event('input', bubbling))
  await fire(at, new window.Event('change', bubbling))
}
export { document, h, window }
