// Where the page begins: who is signed in, which screen, and the keys.
import { render, type ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { simulatedIn } from './archive'
import { json, onSignedOut, Refused, session, signedIn, signIn, signOut, type Session } from './api'
import { blank, choose, now, set, stop, useBench } from './bench'
import { runKey, runNow } from './editor'
import { useKeydown } from './keyboard'
import { go, replace, useAddress } from './router'
import { screensOf, shared, type Screen } from './screens'
import { keys } from './trade'
import { actions } from './workbench'

function Brand() {
  return (
    <a class="brand" href="/">
      <svg viewBox="0 0 16 20" aria-hidden="true">
        <path d="M3 1v18M13 1v18M3 5h10M3 9.5h10M3 14h10" />
      </svg>
      Ladderback
    </a>
  )
}

/** SignIn takes a key once; the server keeps the session in a cookie. */
function SignIn({ done, said }: { done: () => Promise<void>; said: string }) {
  const [problem, put] = useState('')
  const [busy, work] = useState(false)
  const submit = async (e: Event) => {
    e.preventDefault()
    const field = (e.currentTarget as HTMLFormElement).elements.namedItem('key') as HTMLInputElement
    const key = field.value.trim()
    if (!key) return
    work(true)
    try {
      await signIn({ key })
      field.value = ''
      await done()
    } catch (err) {
      put(err instanceof Refused ? err.message : String(err))
    }
    work(false)
  }
  useEffect(() => {
    document.title = 'Sign in · Ladderback'
  }, [])
  return (
    <main class="signin">
      <Brand />
      <h1>Sign in</h1>
      <p>
        With an API key. It is sent once and kept nowhere on this page.{' '}
        <code>ladderback serve --local-key</code> prints one, and a link that needs none.
      </p>
      <form onSubmit={(e) => void submit(e)}>
        <label for="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          autocomplete="off"
          spellcheck={false}
          placeholder="lb_…"
          aria-describedby="keyproblem"
        />
        <button class="run" disabled={busy}>
          <span>Sign in</span>
        </button>
        <p id="keyproblem" class="loss" role="alert">
          {problem || said}
        </p>
      </form>
    </main>
  )
}

interface Command {
  name: string
  keys: string
  run: () => void
}

/** write puts the caret into the sentence, at once where it is on show. */
function write(): void {
  const focus = () => document.getElementById('sentence')?.focus()
  if (document.getElementById('sentence')) return focus()
  go('/')
  queueMicrotask(focus) // after the page has been drawn, and before the next key
}

function neighbours(): void {
  const run = now().run
  if (run) go(`/runs/${run.id}/neighbours`)
}

function commands(who: Session): Command[] {
  const s = now()
  const out: Command[] = [
    { name: 'Write the sentence', keys: '/', run: write },
    { name: 'Run', keys: runKey, run: () => void runNow() },
  ]
  if (s.live) out.push({ name: 'Stop', keys: 'Esc', run: () => void stop() })
  if (s.run?.result) {
    out.push(
      { name: 'Next trade', keys: 'J', run: () => choose(s.trade + 1) },
      { name: 'Trade before', keys: 'K', run: () => choose(s.trade - 1) },
    )
    out.push(
      { name: 'Entry of the trade', keys: 'Home', run: () => keys.to?.('entry') },
      { name: 'Exit of the trade', keys: 'End', run: () => keys.to?.('exit') },
    )
    out.push(
      { name: 'Finer columns', keys: '+', run: () => keys.coarser?.(-1) },
      { name: 'Coarser columns', keys: '−', run: () => keys.coarser?.(1) },
    )
    out.push({ name: 'Neighbours of the run', keys: 'N', run: neighbours })
    if (actions.before)
      out.push({ name: 'Compare with the run before', keys: 'C', run: () => actions.before?.() })
    out.push(
      { name: 'Share', keys: 'S', run: () => actions.share?.() },
      {
        name: 'Download',
        keys: 'D',
        run: () => {
          const b = document.getElementById('download')
          b?.focus()
          b?.click()
        },
      },
    )
  }
  for (const one of screensOf(who))
    out.push({
      name: 'Go to ' + one.name,
      keys: one.letter ? 'G ' + one.letter : '',
      run: () => go(one.path),
    })
  return out
}

/** Sheet is the list of everything by name, to search or to read. */
function Sheet({ who, close, help }: { who: Session; close: () => void; help: boolean }) {
  const [text, put] = useState('')
  const [at, move] = useState(0)
  const box = useRef<HTMLDialogElement>(null)
  // Before the next key, which is its own: an effect after the paint would leave the first letters to the page below.
  useLayoutEffect(() => {
    const dialog = box.current!
    dialog.showModal() // with the focus in its field
    return () => dialog.close() // gives back the focus
  }, [])
  const found = commands(who).filter((c) => c.name.toLowerCase().includes(text.toLowerCase()))
  const pick = (c: Command | undefined) => {
    if (c) {
      box.current!.close()
      close()
      c.run()
    }
  }
  return (
    <dialog
      ref={box}
      class="sheetbox"
      aria-label={help ? 'Keys' : 'Commands'}
      onCancel={(e) => {
        e.preventDefault()
        close()
      }}
      onClick={(e) => e.target === box.current && close()}
      onKeyDown={(e) => {
        e.stopPropagation()
        if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
          e.preventDefault()
          move(Math.max(0, Math.min(found.length - 1, at + (e.key === 'ArrowDown' ? 1 : -1))))
        } else if (e.key === 'Enter') {
          e.preventDefault()
          pick(found[at])
        } else if (e.key === 'Escape') {
          e.preventDefault()
          close()
        }
      }}
    >
      <input
        aria-label="Search commands"
        placeholder="Search commands"
        value={text}
        onInput={(e) => {
          put(e.currentTarget.value)
          move(0)
        }}
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={found[at] ? 'command' + at : undefined}
      />
      <ul id="commands" role="listbox" aria-label="Commands">
        {found.map((c, i) => (
          <li
            key={c.name}
            id={'command' + i}
            role="option"
            aria-selected={i === at}
            onClick={() => pick(c)}
          >
            <span>{c.name}</span>
            {c.keys && (
              <span>
                {c.keys.split(' ').map((k) => (
                  <kbd key={k}>{k}</kbd>
                ))}
              </span>
            )}
          </li>
        ))}
      </ul>
      {help && (
        <p class="q small">
          ← → step through the columns of the book, with Shift by ten. Single letters count outside
          fields only.
          <label class="check">
            <input
              type="checkbox"
              checked={lettersOn()}
              onChange={(e) =>
                localStorage.setItem('letters', e.currentTarget.checked ? 'on' : 'off')
              }
            />{' '}
            keys of one letter
          </label>
        </p>
      )}
    </dialog>
  )
}

const lettersOn = () => localStorage.getItem('letters') !== 'off'

function useKeys(who: Session, open: (help: boolean) => void): void {
  const g = useRef(-Infinity) // when it was pressed, in milliseconds
  useKeydown((e) => {
    const command = e.metaKey || e.ctrlKey
    if (command && e.key.toLowerCase() === 'k') {
      e.preventDefault()
      open(false)
      return
    }
    const el = e.target as HTMLElement
    const field = el.matches('input, textarea, select, [contenteditable]')
    if (command && e.key === 'Enter') {
      e.preventDefault()
      if (el.closest('.opts')) {
        el.blur()
        el.focus()
      } // what is just typed there counts
      return void runNow()
    }
    if (e.key === 'Escape') {
      if (now().live) void stop()
      else if (field) el.blur()
      return
    }
    if (field || command || e.altKey || !lettersOn()) return
    const onRun = Boolean(now().run?.result) && /^\/($|runs\/[^/]+$)/.test(location.pathname)
    if (e.timeStamp - g.current < 1200) {
      g.current = -Infinity
      const to = screensOf(who).find((s) => s.letter === e.key.toUpperCase())
      if (to) {
        e.preventDefault()
        go(to.path)
      }
      return
    }
    const does = (f: (() => void) | undefined) => {
      if (f) {
        e.preventDefault()
        f()
      }
    }
    switch (e.key) {
      case '/':
        return does(write)
      case '?':
        return does(() => open(true))
      case 'g':
      case 'G':
        g.current = e.timeStamp
        return
    }
    if (!onRun) return
    switch (e.key) {
      case 'j':
      case 'J':
        return does(() => choose(now().trade + 1))
      case 'k':
      case 'K':
        return does(() => choose(now().trade - 1))
      case 'n':
      case 'N':
        return does(neighbours)
      case 'c':
      case 'C':
        return does(actions.before)
      case 's':
      case 'S':
        return does(actions.share)
      case 'd':
      case 'D':
        return does(() => {
          const b = document.getElementById('download')
          b?.focus()
          b?.click()
        })
      case '+':
      case '=':
        return does(() => keys.coarser?.(-1))
      case '-':
      case '−':
        return does(() => keys.coarser?.(1))
    }
    if (el.closest('.scroll')) return
    switch (e.key) {
      case 'ArrowLeft':
        return does(() => keys.step?.(e.shiftKey ? -10 : -1))
      case 'ArrowRight':
        return does(() => keys.step?.(e.shiftKey ? 10 : 1))
      case 'Home':
        return does(() => keys.to?.('entry'))
      case 'End':
        return does(() => keys.to?.('exit'))
    }
  })
}

function Shell({
  who,
  leave,
  at,
  children,
}: {
  who: Session
  leave: () => void
  at: Screen | undefined
  children: ComponentChildren
}) {
  const [sheet, show] = useState<'' | 'all' | 'help'>('')
  useKeys(who, (help) => show(help ? 'help' : 'all'))
  // The archive is asked once; should it not answer, what one run says holds for every screen.
  const [held, hold] = useState<{ names: string[]; all: boolean }>()
  useEffect(() => {
    simulatedIn()
      .then(hold)
      .catch(() => {})
  }, [])
  const run = useBench().run
  const told = useRef(false)
  told.current ||= Boolean(run?.result?.report.warnings.some((w) => w.code === 'simulated'))
  const part = held && !held.all ? held.names : []
  return (
    <>
      <a
        class="skip"
        href="#result"
        onClick={(e) => {
          e.preventDefault()
          document.getElementById('result')?.focus()
        }}
      >
        To the result
      </a>
      <header class="top">
        <Brand />
        <nav aria-label="Pages">
          {screensOf(who).map((s) => (
            <a key={s.path} href={s.path} aria-current={s === at ? 'page' : undefined}>
              {s.name}
            </a>
          ))}
          <a href="/docs">API</a>
        </nav>
        <div class="r">
          <span class="who">
            {who.organization} · {who.plan}
          </span>
          <button class="bare who" onClick={leave}>
            Sign out
          </button>
          <button title="Commands" onClick={() => show('all')}>
            <span class="sr">Commands </span>
            <kbd>{runKey.startsWith('⌘') ? '⌘K' : 'Ctrl K'}</kbd>
          </button>
        </div>
      </header>
      {(held?.names.length || told.current) && (
        <aside class="simulated" aria-label="Simulated data">
          <b>SIMULATED DATA.</b>{' '}
          {part.length
            ? `No exchange made the simulated prices in ${part.join(', ')}. They say nothing about real markets.`
            : 'No exchange made these prices. Nothing here says anything about real markets.'}
        </aside>
      )}
      {children}
      {sheet && <Sheet who={who} close={() => show('')} help={sheet === 'help'} />}
    </>
  )
}

function App() {
  const url = useAddress()
  const [who, know] = useState<Session | null | undefined>(undefined)
  const [said, say] = useState('')
  /** away leads to the page of signing in with an account, where the server has accounts. */
  const away = async () => {
    const before = signedIn()
    const accounts =
      location.hash !== '#key' &&
      (await json<{ accounts: boolean }>('/app/options', { proof: true }).catch(() => undefined))
        ?.accounts
    if (before !== signedIn()) return // in the meantime
    if (!accounts) return know(null)
    const back = location.pathname + location.search
    location.replace('/sign-in' + (back === '/' ? '' : '?next=' + encodeURIComponent(back)))
  }
  const begin = async () => {
    const ticket = /^#ticket=(.+)$/.exec(location.hash)
    if (ticket) {
      replace(location.pathname)
      try {
        await signIn({ ticket: decodeURIComponent(ticket[1]!) })
      } catch (err) {
        if (err instanceof Refused) say(err.message)
      }
    }
    try {
      const me = await session()
      // Nothing can be read before the address is verified: that is said on the account's pages.
      if (me.account?.verified === false && !location.pathname.startsWith('/account'))
        replace('/account/keys')
      know(me)
    } catch (err) {
      if (err instanceof Refused && err.status === 401) return // told already
      if (err instanceof Refused) say(err.message)
      know(null)
    }
  }
  useLayoutEffect(() => {
    onSignedOut(() => void away())
    if (shared.is(location.pathname)) return
    void begin()
    // The session lives on as long as it is used.
    const alive = setInterval(() => void session().catch(() => {}), 30 * 60_000)
    return () => clearInterval(alive)
  }, [])
  if (shared.is(url.pathname)) return shared.show(url)
  const at = who ? screensOf(who).find((s) => s.is(url.pathname)) : undefined
  if (who === undefined) return null
  if (who === null)
    return (
      <SignIn
        said={said}
        done={() => {
          replace(location.pathname)
          return begin()
        }}
      />
    )
  const leave = () =>
    void signOut().finally(() => {
      set(blank)
      who.account ? location.assign('/sign-in') : know(null)
    })
  return (
    <Shell who={who} leave={leave} at={at}>
      {at ? (
        at.show(url)
      ) : (
        <main id="result" class="page">
          <h1>No such page</h1>
        </main>
      )}
    </Shell>
  )
}

render(<App />, document.body)
