// A run as a file.
import { useState } from 'preact/hooks'
import { runsPath, text, type Backtest, type Report } from './api'

/** save hands a file to the browser. */
export function save(name: string, text: string | string[], type: string): void {
  const url = URL.createObjectURL(new Blob(typeof text === 'string' ? [text] : text, { type }))
  const a = document.createElement('a')
  a.href = url
  a.download = name
  a.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

const columns = [
  'market_id',
  'market_slug',
  'token_id',
  'token_label',
  'side',
  'entry_time',
  'entry_price',
  'entry_fill',
  'shares',
  'cost',
  'exit_time',
  'exit_price',
  'exit_fill',
  'exit_reason',
  'proceeds',
  'fees',
  'pnl',
  'slippage',
  'coverage',
] as const

/** csv writes the trade items, one a line. */
export function csv(report: Report): string {
  const cell = (v: unknown) => {
    const s = v === undefined || v === null ? '' : String(v)
    return /[",\r\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s
  }
  return (
    [columns.join(','), ...report.trades.map((t) => columns.map((c) => cell(t[c])).join(','))].join(
      '\n',
    ) + '\n'
  )
}

/** report fetches the run as one page that needs nothing else. */
async function report(id: string): Promise<void> {
  save(id + '.html', await text(`${runsPath}/${id}`, 'text/html'), 'text/html')
}

export const download = {
  json: (b: Backtest, name: string) =>
    save(name + '.json', JSON.stringify(b) + '\n', 'application/json'),
  csv: (b: Backtest, name: string) => save(name + '.csv', csv(b.report), 'text/csv'),
}

/** Menu of the files that a run can be had as. */
export function Download({ body, name }: { body: Backtest; name: string }) {
  const [open, show] = useState(false)
  return (
    <span
      class="menu"
      onKeyDown={(e) => {
        if (e.key === 'Escape' && open) {
          e.stopPropagation()
          show(false)
        }
      }}
      onFocusOut={(e) => {
        if (!e.currentTarget.contains(e.relatedTarget as Node | null)) show(false)
      }}
    >
      <button id="download" aria-haspopup="true" aria-expanded={open} onClick={() => show(!open)}>
        Download
      </button>
      {open && (
        <span class="sheet">
          <button
            onClick={() => {
              show(false)
              download.json(body, name)
            }}
          >
            JSON, the whole result
          </button>
          <button
            onClick={() => {
              show(false)
              download.csv(body, name)
            }}
          >
            CSV, the trades
          </button>
          <button
            onClick={() => {
              show(false)
              void report(name).catch((err: unknown) =>
                alert(err instanceof Error ? err.message : String(err)),
              )
            }}
          >
            HTML, one page that needs nothing else
          </button>
        </span>
      )}
    </span>
  )
}
