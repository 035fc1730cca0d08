import { Funnel } from './funnel'
import { all, show, text, texts } from '../test/dom.mjs'
import { words } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const widths = () => all('.bar i').map((e) => e.style.width)

test('funnel: where the markets went, on one scale', async () => {
  await show(<Funnel words={words()} />)
  assert.deepEqual(texts('.fn'), ['found200', 'sampled100', 'signalled40', 'traded3'])
  assert.deepEqual(widths(), ['100%', '50%', '20%', '1.5%'])
  assert.equal(all('.fn span')[0].title, 'in the archive')
  assert.doesNotMatch(text(), /Orders refused/)
  assert.match(text(), /In 60 markets the entry rule never held\. No order was refused\.$/)
})

test('funnel: what was refused is told; of nothing found nothing is drawn', async () => {
  await show(
    <Funnel words={words({ refused: [{ name: 'stale', words: 'the book was old', n: 2000 }] })} />,
  )
  assert.deepEqual(texts('.fn.bad'), ['the book was old2,000'])
  assert.match(text(), /Orders refused, on the same scale:/)
  assert.doesNotMatch(text(), /No order was refused/)
  const none = ['found', 'sampled', 'signalled'].map((name) => ({ name, n: 0, words: '' }))
  await show(<Funnel words={words({ funnel: none })} />)
  assert.deepEqual(widths(), ['0%', '0%', '0%'])
  assert.doesNotMatch(text(), /never held/)
})
