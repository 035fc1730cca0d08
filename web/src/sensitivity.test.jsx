import { Sensitivity } from './sensitivity'
import { empty, rows, show, texts } from '../test/dom.mjs'
import { report } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const sensitivity = [250, 2000].flatMap((latency_ms) =>
  ['venue', 'none'].flatMap((fees) =>
    [25, 50, 2000].map((budget, i) => ({
      latency_ms,
      fees,
      budget,
      total_pnl: fees === 'none' ? 1234.4 : -10 * i,
    })),
  ),
)

test('sensitivity: the total under other conditions; the run’s own is framed', async () => {
  await show(<Sensitivity report={report([1], { sensitivity })} />)
  assert.deepEqual(texts('thead th'), ['latency', 'fees', '$25', '$50', '$2,000'])
  assert.deepEqual(rows(), [
    ['250 ms', 'venue', '$0', '−$10', '−$20'],
    ['250 ms', 'none', '+$1,234', '+$1,234', '+$1,234'],
    ['2,000 ms', 'venue', '$0', '−$10', '−$20'],
    ['2,000 ms', 'none', '+$1,234', '+$1,234', '+$1,234'],
  ])
  assert.deepEqual(texts('td.cur'), ['−$10'])
  assert.deepEqual(texts('td.neg'), ['−$10', '−$20', '−$10', '−$20'])
  await show(<Sensitivity report={report([1])} />)
  assert.ok(empty())
})
