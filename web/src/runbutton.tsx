// The button that runs the sentence.
import { useEffect, useState } from 'preact/hooks'
import { start, stop, useBench, type State } from './bench'
import { go } from './router'
import { MOST, points } from './sentence'

export const runKey = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘ ⏎' : 'Ctrl ⏎'

/** runNow runs the sentence and leads to the run, unless somebody has gone elsewhere in the meantime. */
export async function runNow(): Promise<void> {
  const from = location.pathname
  const id = await start()
  if (!id || location.pathname !== from) return
  go('/runs/' + id)
  // On a narrow screen the result is below the sentence.
  if (matchMedia('(max-width: 1179px)').matches) document.getElementById('result')?.scrollIntoView()
}

/** What the button says, and whether it can be pressed. */
export function RunButton({ s }: { s: State }) {
  const [, tick] = useState(0)
  const left = Math.ceil((s.until - Date.now()) / 1000)
  useEffect(() => {
    if (s.until <= Date.now()) return
    const t = setInterval(() => tick((n) => n + 1), 250)
    return () => clearInterval(t)
  }, [s.until, left > 0])
  if (s.live)
    return (
      <button class="run" onClick={() => void stop()} disabled={s.live.id === ''}>
        <span>Stop</span>
        <kbd>Esc</kbd>
      </button>
    )
  if (left > 0)
    return (
      <button class="run" disabled>
        <span>Try again in {left} s</span>
      </button>
    )
  const same = s.run?.prompt === s.prompt
  return (
    <button
      class="run"
      disabled={
        s.prompt.trim() === '' || points(s.prompt) > MOST || s.problem?.code === 'plan_required'
      }
      onClick={() => void runNow()}
    >
      <span>{same ? 'Run again' : 'Run'}</span>
      <kbd>{runKey}</kbd>
    </button>
  )
}

/** Dock is Run at the bottom of a narrow screen. */
export function Dock() {
  const s = useBench()
  return (
    <div class="dock">
      <RunButton s={s} />
    </div>
  )
}
