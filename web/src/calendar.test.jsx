import { Calendar, years } from './calendar'
import { all, one, point, show, text, texts } from '../test/dom.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const DAY = 86_400_000
// An archive of more than a year, with holes and days without a capture.
const days = []
for (let at = Date.UTC(2025, 10, 20), i = 0; at < Date.UTC(2027, 0, 3); at += DAY, i++) {
  if (i % 37 === 5) continue
  const captured = i % 23 === 7 ? 0 : 288
  days.push({
    day: new Date(at).toISOString().slice(0, 10),
    markets: 288,
    resolved: 280,
    captured,
    captures: captured * 1000,
    coverage: captured ? (i % 100) / 99 : 0,
  })
}

test('calendar: a calendar a year, a weekday a row, a new column on Monday alone', async () => {
  const parts = years(days)
  assert.deepEqual(
    parts.map((y) => y.year),
    ['2025', '2026', '2027'],
  )
  const known = new Map(days.map((d) => [d.day, d]))
  let cells = 0
  for (const y of parts) {
    await show(<Calendar name="Crypto" {...y} />)
    assert.equal(text('.cal > b'), y.year)
    let before
    for (const cell of all('.cal [role=listitem]')) {
      cells++
      const on = cell.title.slice(0, 10)
      const d = known.get(on)
      const [row, column] = cell.style.gridArea.split('/').map(Number)
      assert.equal(row, ((new Date(on).getUTCDay() + 6) % 7) + 2, on)
      assert.equal(cell.className, !d ? '' : d.captured ? 'cap' : 'none', on)
      assert.equal(cell.textContent, cell.title)
      if (d?.captured)
        assert.ok(
          Math.abs(parseFloat(cell.style.getPropertyValue('--a')) - 15 - 85 * d.coverage) < 1e-6,
        )
      if (before) assert.equal(column - before, row === 2 ? 1 : 0, on)
      before = column
    }
  }
  assert.equal(cells, (Date.UTC(2027, 0, 3) - Date.UTC(2025, 10, 20)) / DAY)
})

test('calendar: months are named where there is room, and a day is told under the pointer', async () => {
  const [, y] = years(days)
  await show(<Calendar name="Crypto" {...y} />)
  assert.deepEqual(texts('.lab').slice(12), ['Mon', 'Wed', 'Fri', 'Sun'])
  // February stands over its first Monday, the 2nd.
  const monday = all('[role=listitem]').find((e) => e.title.startsWith('2026-02-02'))
  const column = (e) => e.style.gridArea.split('/')[1].trim()
  assert.equal(column(all('.lab')[1]), column(monday))
  assert.deepEqual(texts('.lab').slice(0, 12), [
    ...['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
  ])
  const cell = (kind) => all('.cal [role=listitem]').find((e) => e.className === kind)
  await point('pointerenter', cell('cap'))
  assert.match(
    text('.told'),
    /^2026-01-0\d: coverage \d+\.\d%; 288 markets, 280 resolved, 288 captured, 288,000 captures$/,
  )
  await point('pointerenter', cell('none'))
  assert.match(text('.told'), /: nothing captured; 288 markets/)
  await point('pointerenter', cell(''))
  assert.match(text('.told'), /: no markets$/)
  await point('pointerleave', one('.cal'))
  assert.equal(text('.told'), '')
})

test('calendar: a single day', async () => {
  const [y] = years([days[0]])
  await show(<Calendar name="Crypto" {...y} />)
  assert.equal(all('[role=listitem]').length, 1)
  assert.equal(one('[role=list]').getAttribute('aria-label'), 'Crypto: coverage by day, 2025')
})
