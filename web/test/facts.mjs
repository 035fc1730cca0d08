// A run and what belongs to it, as the API has them, for the tests of single components.

const at = (seconds) => new Date(Date.UTC(2026, 3, 13, 12) + seconds * 1000).toISOString()

export const options = {
  sampling: 'recent',
  seed: 1,
  latency_ms: 250,
  max_slippage: 0.05,
  stale_ms: 30000,
  fees: 'venue',
  winners: 'official',
  min_coverage: 0,
  baseline: true,
}

/** trade is one that made so much, in the nth round from 0, each of 15 minutes. */
export const trade = (pnl, n = 0, more = {}) => ({
  market_id: 'market_' + n,
  market_slug: `btc-updown-15m-${Date.UTC(2026, 3, 13, 12) / 1000 + n * 900}`,
  token_id: 'token_' + n,
  token_label: 'Up',
  side: 'up',
  entry_time: at(n * 900 + 60),
  entry_price: 0.35,
  shares: 142.86,
  cost: 50,
  exit_time: at(n * 900 + 432.5),
  exit_price: pnl > 0 ? 0.55 : 0.2,
  exit_reason: pnl > 0 ? 'take_profit' : 'stop_loss',
  fees: 1.25,
  pnl,
  ...more,
})

/** report is that of trades that made so much each. */
export function report(pnl, more = {}) {
  let sum = 0
  let top = 0
  let fall = 0
  const curve = pnl.map((x) => {
    sum += x
    top = Math.max(top, sum)
    fall = Math.max(fall, top - sum)
    return sum
  })
  const mean = pnl.length ? sum / pnl.length : null
  return {
    trades: pnl.map((x, i) => trade(x, i)),
    equity_curve: curve,
    total_pnl: sum,
    markets_found: 100,
    stats: {
      mean_pnl: mean,
      mean_pnl_interval: mean === null ? null : [mean - 1, mean + 1],
      win_rate_interval: [0.4, 0.6],
      max_drawdown: fall,
      profit_factor: 1.5,
    },
    analysis: { return_on_stake: 0.031 },
    baseline: { mean_pnl: -0.5 },
    options,
    warnings: [],
    receipt: {
      strategy: 'aaaaaaaa11',
      options: 'bbbbbbbb22',
      data: 'cccccccc33',
      report: 'dddddddd44',
      engine: '7',
    },
    ...more,
  }
}

export const words = (more = {}) => ({
  verdict: 'No edge',
  headline: 'The mean of +$1.00 per trade may be luck.',
  tiles: [
    { name: 'trades', value: '3', note: 'of 100 markets', help: 'Rounds bought in.', sign: 0 },
    { name: 'total pnl', value: '−$12.00', note: 'after fees', help: 'All of it.', sign: -1 },
  ],
  funnel: [
    { name: 'found', n: 200, words: 'in the archive' },
    { name: 'sampled', n: 100, words: 'looked at' },
    { name: 'signalled', n: 40, words: 'the rule held' },
    { name: 'traded', n: 3, words: 'bought' },
  ],
  refused: [],
  remedies: [],
  warnings: [],
  breakdowns: [
    {
      name: 'hour',
      rows: [{ key: '12', trades: 3, win_rate: 0.5, mean_pnl: -4, total_pnl: -12 }],
    },
  ],
  baseline: 'The baseline makes −$0.50 per trade.',
  ...more,
})

export const prompt =
  'Buy Up on BTC 15m when Up drops below 35 cents, take profit at 55c, stop at 20c'
export const summary =
  "Buy Up on BTC 15m markets when Up's price is below 35c. Take profit at 55c. Stop loss at 20c. Otherwise hold to expiry. $50 per trade. Sample of 100 markets."

/** run is one that is done, with its result. */
export const run = (id = 'run_1', more = {}) => ({
  id,
  state: 'done',
  prompt,
  summary,
  options,
  coin: 'BTC',
  market_type: '15m',
  side: 'up',
  budget: 50,
  sample_size: 100,
  phase: 'strategy',
  done: 100,
  total: 100,
  error: null,
  created_at: '2026-04-20T11:00:00Z',
  started_at: '2026-04-20T11:00:00Z',
  ended_at: '2026-04-20T11:00:02.5Z',
  shared: false,
  headline: {
    verdict: 'no_edge',
    markets_traded: 3,
    mean_pnl: 1,
    mean_pnl_interval: [-1, 3],
    total_pnl: 3,
  },
  words: words(),
  result: { prompt, report: report([5, -3, 1]), receipt: report([]).receipt },
  ...more,
})

/** page is a list as the API sends it. */
export const page = (data, next = null) => ({
  data,
  metadata: { count: data.length, limit: 50, next_cursor: next },
})

/** parsed is what a sentence was read as: its phrases are [text, field]. */
export const parsed = (text = prompt, phrases = [['Buy Up', 'side']], more = {}) => ({
  prompt: text,
  strategy: {
    entry: [
      { type: 'price', token: 'up', comparator: 'lt', threshold: 0.35, within_seconds: null },
    ],
    exit: { take_profit: 0.55, stop_loss: 0.2 },
    budget_per_trade: 50,
    sample_size: 100,
    ...more,
  },
  parse: {
    summary,
    assumptions: [],
    ignored: [],
    spans: phrases.map(([words, field]) => {
      const start = [...text.slice(0, text.indexOf(words))].length
      return { start, end: start + [...words].length, text: words, field }
    }),
  },
})

/** book is one at so many seconds after noon: bids and asks are [price, shares]. */
export const book = (seconds, bids, asks) => ({
  t: at(seconds).replace('.000Z', 'Z'),
  bids,
  asks,
})
export { at }

/** refusal is an answer that refuses. */
export const refusal = (status, message, more = {}, headers = {}) => [
  status,
  { error: 'refused', message, ...more },
  headers,
]
