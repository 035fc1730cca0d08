import { Refused } from './api'
import { Field, Form, Said, Sure, useAsked } from './form'
import {
  button,
  buttons,
  document,
  field,
  held,
  one,
  press,
  put,
  serve,
  settle,
  show,
  text,
} from '../test/dom.mjs'
import { refusal } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

test('form: what is said of it is an alert when it went wrong, and a status else', async () => {
  await show(<Said told={{ bad: true, text: 'No <b>' }} />)
  assert.equal(one('[role=alert]').textContent, 'No <b>')
  await show(<Said told={{ bad: false, text: 'Sent.' }} />)
  assert.equal(one('[role=status]').textContent, 'Sent.')
  await show(<Said />)
  assert.equal(text(), '')
})

const form = (send) => (
  <Form button="Send" send={send}>
    <Field label="Name" name="name" />
    <input type="checkbox" name="sure" aria-label="sure" />
  </Form>
)

test('form: its fields are sent once by their names, and are empty again', async () => {
  const sent = []
  const late = held()
  await show(form((f) => (sent.push(f), late.answer)))
  await put('Name', 'notebook')
  await press('Send')
  assert.equal(button('Send').getAttribute('aria-disabled'), 'true')
  await press('Send')
  await late.free('Made.')
  assert.deepEqual(sent, [{ name: 'notebook' }])
  assert.equal(field('Name').value, '')
  assert.equal(text('[role=status]'), 'Made.')
  assert.equal(button('Send').getAttribute('aria-disabled'), 'false')
})

test('form: what is typed while it is on its way stays; so does what was refused', async () => {
  const late = held()
  await show(form(() => late.answer))
  await put('Name', 'one')
  await press('Send')
  await put('Name', 'two')
  await late.free()
  assert.equal(field('Name').value, 'two')
  await show(form(() => Promise.reject(new Refused(429, '', 'too often', [], [], 7))))
  await press('Send')
  assert.equal(text('[role=alert]'), 'Too often Again in 7 s.')
  assert.equal(field('Name').value, 'two')
})

function List({ path }) {
  const { got, told, again } = useAsked(path)
  return (
    <p>
      {got?.name} {told?.text} <button onClick={() => void again()}>again</button>
    </p>
  )
}

test('form: an answer to an earlier question never takes the place of a later one', async () => {
  const [early, late] = [held(), held()]
  const answers = [early.answer, late.answer]
  serve({ 'GET /app/keys': () => answers.shift() })
  await show(<List path="/keys" />)
  await press('again')
  await late.free({ name: 'newer' })
  await early.free({ name: 'older' })
  assert.equal(text(), 'newer again')
  serve({ 'GET /app/keys': refusal(503, 'away') })
  await press('again')
  assert.equal(text(), 'newer Away again')
  serve({ 'GET /app/keys': { name: 'back' } })
  await press('again')
  assert.equal(text(), 'back again')
})

test('form: what cannot be undone is asked once more, and done once', async () => {
  const late = held()
  let done = 0
  await show(
    <Sure name="Revoke" sure="For good" about="notebook" act={() => (done++, late.answer)} />,
  )
  await press('Revoke: notebook')
  assert.deepEqual(buttons(), ['For good: notebook', 'Keep'])
  assert.ok(document.activeElement === button('For good: notebook'))
  await press('Keep')
  assert.ok(document.activeElement === button('Revoke: notebook'))
  await press('Revoke: notebook')
  await press('For good: notebook')
  await press('For good: notebook')
  await late.free()
  assert.equal(done, 1)
  assert.deepEqual(buttons(), ['Revoke: notebook'])
})

test('form: why it could not be done is told, and not the next time it is asked', async () => {
  const act = () => Promise.reject(new Refused(403, '', 'the last owner stays'))
  await show(<Sure name="Leave" sure="Leave it" about="x" act={act} />)
  await press('Leave: x')
  await press('Leave it: x')
  assert.equal(text('[role=alert]'), 'The last owner stays')
  await press('Keep')
  await press('Leave: x')
  await settle()
  assert.doesNotMatch(text(), /last owner/)
})
