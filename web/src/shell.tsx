// What is around every screen: the header, the band over simulated data, and the keys.
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Session } from './api'
import type { Simulated } from './held'
import { choose, now, stop, useBench } from './bench'
import { keys } from './heat'
import { useKeydown } from './keyboard'
import { actions } from './meta'
import { go } from './router'
import { runKey, runNow } from './runbutton'
import { screensOf, type Screen } from './screens'
import { lettersOn, neighbours, Sheet, write } from './sheet'
import { Brand } from './signin'

/** onBook tells whether a column of the book is being read: only then do the keys of the window's own scrolling step through its prices. */
const onBook = () => Boolean(document.querySelector('#trade .told')?.textContent)

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
      case 'ArrowUp':
        return does(keys.price && onBook() ? () => keys.price?.(1) : undefined)
      case 'ArrowDown':
        return does(keys.price && onBook() ? () => keys.price?.(-1) : undefined)
      case 'Home':
        return does(() => keys.to?.('entry'))
      case 'End':
        return does(() => keys.to?.('exit'))
    }
  })
}

export function Shell({
  who,
  leave,
  at,
  held,
  children,
}: {
  who: Session
  leave: () => void
  at: Screen | undefined
  held: Simulated | undefined // unknown: what a run says of its data holds for every screen
  children: ComponentChildren
}) {
  const [sheet, show] = useState<'' | 'all' | 'help'>('')
  useKeys(who, (help) => show(help ? 'help' : 'all'))
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
          <button class="commands" title="Commands" onClick={() => show('all')}>
            <span class="menuword">Menu</span>
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
      {sheet && <Sheet who={who} leave={leave} close={() => show('')} help={sheet === 'help'} />}
    </>
  )
}
