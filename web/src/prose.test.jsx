import { prose } from './prose'
import { show, text, texts } from '../test/dom.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

test('prose: amounts, dates and flags stay on one line, and the text is the same', async () => {
  for (const [said, whole] of [
    [
      'It makes −$1,234.50 a day since 2026-04-13, with --fees none.',
      ['−$1,234.50', '2026-04-13', '--fees'],
    ],
    ['+$5 <b>or</b> $0.25', ['+$5', '$0.25']],
    ['nothing of that', []],
    ['', []],
  ]) {
    await show(<p>{prose(said)}</p>)
    assert.equal(text(), said)
    assert.deepEqual(texts('.nb'), whole)
  }
})
