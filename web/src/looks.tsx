// Beside a verdict: which look at its rounds it is, and what of the lockbox.
import type { Options, ReportWords } from './api'

/** Looks says what the server says of both; nothing of a first look without a lockbox. */
export function Looks({ words, held }: { words: ReportWords; held: Options['hold_out'] }) {
  if (!words.look && !words.lock) return null
  const open = Boolean(held?.opened_at)
  return (
    <div class="looks">
      {words.lock && (
        <p>
          <svg
            viewBox="0 0 16 16"
            role="img"
            aria-label={open ? 'Lockbox, open' : 'Lockbox, closed'}
          >
            <path d={open ? 'M5 7V4.5a3 3 0 0 1 5.8-1' : 'M5 7V4.5a3 3 0 0 1 6 0V7'} />
            <rect x="3" y="7" width="10" height="7" rx="1.5" />
          </svg>
          <span>{words.lock}</span>
        </p>
      )}
      {words.look && <p>{words.look}</p>}
    </div>
  )
}
