import { Curves, Difference } from './versus'
import { all, empty, one, resized, show, text, texts } from '../test/dom.mjs'
import { report } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const x = (e, name) => Number(e.getAttribute(name))

test('versus: what B made more than A, with its interval, beside zero', async () => {
  await show(<Difference paired={{ mean_difference: -2, interval: [-3, -1] }} />)
  assert.equal(
    one('[role=img]').getAttribute('aria-label'),
    'B − A: −$2.00 a round, 95% interval from −$3.00 to −$1.00',
  )
  assert.ok(x(one('circle.mean'), 'cx') < x(one('line.zero'), 'x1'))
  assert.ok(x(one('rect.ci'), 'x') + x(one('rect.ci'), 'width') < x(one('line.zero'), 'x1'))
  await show(<Difference paired={{ mean_difference: 0, interval: null }} />)
  assert.equal(all('rect.ci').length, 0)
  assert.doesNotMatch(text('.key'), /interval/)
})

test('versus: no round in common; neither traded', async () => {
  await show(<Difference paired={{ mean_difference: null, interval: null }} />)
  assert.ok(empty())
  await show(<Curves a={report([])} b={report([])} />)
  assert.equal(text(), 'Neither run traded.')
})

test('versus: both curves are on one scale', async () => {
  await show(<Curves a={report([-10, -20])} b={report([-10, -5])} />)
  const deep = (path) =>
    Math.max(
      ...path
        .getAttribute('d')
        .match(/V[\d.]+/g)
        .map((v) => Number(v.slice(1))),
    )
  const [a, b] = all('.curves path').map((p) => {
    const from = Number(/,([\d.]+)/.exec(p.getAttribute('d'))[1])
    return deep(p) - from
  })
  assert.ok(Math.abs(a / b - 2) < 0.01, `${a} and ${b}`)
  assert.deepEqual(texts('text.strong'), ['A', 'B'])
  assert.match(
    one('[role=img]').getAttribute('aria-label'),
    /of A, ending at −\$30\.00, and of B, ending at −\$15\.00/,
  )
  await resized(250)
  assert.equal(texts('text').filter((t) => t.startsWith('Apr')).length, 1)
})

test('versus: one that did not trade has no curve', async () => {
  await show(<Curves a={report([1])} b={report([])} />)
  assert.equal(all('.curves path').length, 1)
  assert.deepEqual(texts('text.strong'), ['A', ''])
})
