// The steps of a study, whatever the client: find the series and what is covered, read a
// sentence that is refused, take one of its readings, run a thousand rounds with progress,
// explain the worst trade, compare a tighter stop, sweep, and cite the receipt.
import assert from 'node:assert/strict';

export const prompt = process.env.PROMPT;

// use(name, arguments, refused) calls a tool; its ticks are null where a client shows none.
export async function steps(use, receipt) {
  const found = await use('find_markets', { coin: 'BTC', market_type: '5m' });
  assert.match(found.text, /^- BTC 5m: \d+ rounds with an official winner, 0 more with an inferred one, \S+Z to \S+Z$/m);
  assert.deepEqual(found.out.series, ['btc-up-or-down-5m']);
  const { rounds } = found.out.rounds[0];
  const history = await use('get_history', { market: found.out.markets.find((m) => m.status === 'resolved').slug, kind: 'books', points: 5 });
  assert.ok(history.out.data.Up.length <= 5 && /levels beyond the best 5/.test(history.out.left));

  const outside = await use('parse_strategy', { prompt: 'Buy when RSI crosses 30' }, true);
  assert.match(outside.text, /"RSI" \(9 to 12\)[^]*Do not retry it unchanged/);
  const twofold = await use('parse_strategy', { prompt: 'buy up if it trades up to 65c' }, true);
  const readings = [...twofold.text.matchAll(/^Reading \d: (.+)$/gm)].map((m) => m[1]);
  assert.equal(readings.length, 2, twofold.text);
  const taken = await use('parse_strategy', { prompt: readings[1] });
  assert.equal(taken.out.summary, readings[1]);

  const run = await use('run_backtest', { prompt });
  assert.equal(run.out.state, 'done', run.text);
  assert.equal(run.out.rounds, Math.min(1000, rounds));
  assert.equal(run.out.receipt.report, receipt);
  if (run.ticks) {
    assert.ok(run.ticks.length > 0, 'progress');
    run.ticks.forEach((t, i) => assert.ok(t.progress <= t.total && (i === 0 || t.progress > run.ticks[i - 1].progress), JSON.stringify(run.ticks)));
  }
  const pnl = run.text.split('\n')[0];
  for (const part of ['per trade', '95% interval', 'Warning: Simulated']) assert.ok(pnl.includes(part), pnl);
  const { out: worst } = await use('list_trades', { run: run.out.id, sort: 'worst', limit: 1 });
  const first = worst.trades[0].number;
  assert.match((await use('explain_trade', { run: run.out.id, number: first })).text, new RegExp(`Trade ${first} of`));
  const tighter = await use('run_backtest', { prompt: prompt.replace('stop at 20c', 'stop at 25c') });
  assert.match((await use('compare_runs', { a: run.out.id, b: tighter.out.id })).text, /better than/);
  const sweep = await use('sweep', { prompt, sample_size: 200, vary: ['exit.stop_loss=0.15:0.25:0.05'] });
  assert.match(sweep.text, /3 variants[^]*Sweep sweep_/);
  const again = await use('get_run', { id: run.out.id, detail: 'headline' });
  assert.equal(again.out.receipt.report, receipt);
  assert.ok(again.text.includes(`report ${receipt.slice(0, 12)}`), 'the receipt is cited');
  await use('get_usage', {});
  return run.ticks?.length;
}
