// Eleven calls with the TypeScript client (fetch) that openapi-generator makes: node … BASE KEY
import assert from 'node:assert/strict'
import { AccessApi, BacktestApi, Configuration, DiscoveryApi, HistoryApi, OperationsApi, RunsApi } from './api/index'
import * as models from './api/models/index'

const [base, key] = process.argv.slice(2)
const prompt = 'Buy BTC 5m Up when price is below 0.4, take profit at 0.6, last 5 markets'
let calls = 0
let body: unknown

const c = new Configuration({
  basePath: base,
  accessToken: key,
  middleware: [
    {
      post: async ({ response }) => {
        body = JSON.parse(await response.clone().text())
      },
    },
  ],
})

/** read is a JSON value with its times as instants; a field that is null is one that is left out. */
function read(v: unknown): unknown {
  if (v instanceof Date) return v.toISOString()
  if (typeof v === 'string') return /^\d{4}-\d\d-\d\dT/.test(v) ? new Date(v).toISOString() : v
  if (Array.isArray(v)) return v.map(read)
  if (v === null || typeof v !== 'object') return v
  return Object.fromEntries(
    Object.entries(v)
      .filter(([, one]) => one !== null && one !== undefined)
      .map(([k, one]) => [k, read(one)]),
  )
}

/** same is what an answer was read into: written again, it is what the server wrote. */
async function same<T>(answer: Promise<T>, write: (v: T) => unknown): Promise<T> {
  const got = await answer
  calls++
  assert.deepEqual(read(write(got)), read(body))
  return got
}

const runs = new RunsApi(c)
const discovery = new DiscoveryApi(c)
const history = new HistoryApi(c)
const backtests = new BacktestApi(c)
await same(new OperationsApi(c).health(), models.HealthToJSON)
await same(new AccessApi(c).usage(), models.UsageToJSON)
await same(discovery.listTags(), models.TagListToJSON)
const page = await same(
  discovery.listMarkets({ include_closed: true, search: 'btc', sort: 'end_date', limit: 5 }),
  models.MarketItemListToJSON,
)
const market = await same(discovery.getMarket({ id_or_slug: page.data[0].slug }), models.MarketToJSON)
const window = {
  id_or_slug: market.slug,
  start_ts: market.start_date!.toISOString(),
  end_ts: market.end_date!.toISOString(),
  resolution: models.Resolution._5s,
}
const prices = await same(history.marketsHistoryPrices(window), models.MarketPricesToJSON)
const books = await same(history.marketsHistoryBooks(window), models.MarketBooksToJSON)
assert.ok(prices.data.Up.length > 0 && books.data.Up.length > 0)
await same(backtests.parse({ ParseRequest: { prompt } }), models.ParsedToJSON)
const request = { prompt, options: { max_slippage: 0.07, include: [models.Include.Fills] } }
const answer = await same(backtests.backtest({ BacktestRequest: request }), models.BacktestToJSON)
const started = await same(runs.startRun({ BacktestRequest: request }), models.RunToJSON)
const run = await same(runs.getRun({ id: started.id, wait: '60s' }), models.RunWithResultToJSON)
assert.deepEqual(run.result!.report.receipt, answer.report.receipt)
console.log(`openapi-generator, TypeScript: ${calls} calls, nothing lost`)
