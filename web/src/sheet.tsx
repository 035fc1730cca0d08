// Everything that the page can do, by name.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Session } from './api'
import { choose, now, stop } from './bench'
import { keys } from './heat'
import { actions } from './meta'
import { go } from './router'
import { runKey, runNow } from './runbutton'
import { screensOf } from './screens'
import { theme, themes, wear } from './theme'

interface Command {
  name: string
  keys: string
  run: () => void
}

/** write puts the caret into the sentence, at once where it is on show. */
export function write(): void {
  const focus = () => document.getElementById('sentence')?.focus()
  if (document.getElementById('sentence')) return focus()
  go('/')
  queueMicrotask(focus) // after the page has been drawn, and before the next key
}

export function neighbours(): void {
  const run = now().run
  if (run) go(`/runs/${run.id}/neighbours`)
}

function commands(who: Session, leave: () => void): Command[] {
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
  out.push({ name: 'Read the API', keys: '', run: () => location.assign('/docs') })
  for (const t of themes)
    if (t !== theme()) out.push({ name: 'Colours: ' + t, keys: '', run: () => wear(t) })
  out.push({ name: 'Sign out', keys: '', run: leave })
  return out
}

/** Sheet is the list of everything by name, to search or to read. */
export function Sheet({
  who,
  close,
  leave,
  help,
}: {
  who: Session
  close: () => void
  leave: () => void
  help: boolean
}) {
  const [text, put] = useState('')
  const [at, move] = useState(0)
  const box = useRef<HTMLDialogElement>(null)
  // Before the next key, which is its own: an effect after the paint would leave the first letters to the page below.
  useLayoutEffect(() => {
    const dialog = box.current!
    dialog.showModal() // with the focus in its field
    return () => dialog.close() // gives back the focus
  }, [])
  const found = commands(who, leave).filter((c) =>
    c.name.toLowerCase().includes(text.toLowerCase()),
  )
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
      <p class="q small">
        {who.organization} · plan {who.plan}
      </p>
      {help && (
        <p class="q small">
          ← → step through the columns of the book, with Shift by ten, ↑ ↓ through the prices of
          one. Single letters count outside fields only.
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

export const lettersOn = () => localStorage.getItem('letters') !== 'off'
