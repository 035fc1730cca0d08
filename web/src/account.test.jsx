import { Account } from './account'
import {
  all,
  asked,
  button,
  buttons,
  does,
  document,
  field,
  gone,
  one,
  press,
  put,
  rows,
  serve,
  show,
  text,
  texts,
  window,
} from '../test/dom.mjs'
import { refusal } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const me = (more = {}) => ({
  ...{
    id: 'me',
    email: 'ada@example.com',
    verified: true,
    password: true,
    identities: [],
    role: 'owner',
  },
  created_at: '2026-01-01T00:00:00Z',
  organization: 'org_1',
  organizations: [
    { id: 'org_1', name: 'ada <b>', plan: 'pro', role: 'owner' },
    { id: 'org_2', name: 'bob', plan: 'starter', role: 'viewer' },
  ],
  ...more,
})
/** opened shows a page of the account. */
async function opened(path, who = me(), answers = {}) {
  serve({
    'GET /app/account': who,
    'GET /app/options': { accounts: true, mail: 'smtp', providers: [{ id: 'h', name: 'House' }] },
    'GET /app/keys': { data: [], most: 10 },
    ...answers,
  })
  await show(<Account path={path} />)
}
const sent = () => [asked.at(-1).name, asked.at(-1).body]

test('account: whose it is, which plan, and the pages that a role has', async () => {
  await opened('/account/keys')
  assert.equal(document.title, 'Keys · Account · Ladderback')
  assert.equal(text('h1'), 'ada <b>')
  assert.match(text('main > .q'), /^ada@example\.com · owner · plan Pro$/)
  assert.deepEqual(texts('.tabs a'), ['Keys', 'Usage', 'Members', 'Sessions', 'Audit', 'Account'])
  assert.equal(text('.tabs [aria-current=page]'), 'Keys')
  await opened('/account/nowhere', me({ role: 'viewer' }))
  await show(<Account key="viewer" path="/account/nowhere" />)
  assert.ok(!texts('.tabs a').includes('Audit'))
  assert.match(text('.tab'), /^No such page\.$/)
})

test('account: one cannot be had; another organization, and why not', async () => {
  await opened('/account/keys', refusal(503, 'away'))
  assert.equal(text('[role=alert]'), 'Away')
  await opened('/account/keys', me(), { 'POST /app/account/organization': {} })
  await show(<Account key="again" path="/account/keys" />)
  await put('Organization', 'org_2')
  assert.ok(asked.some((a) => a.name === 'POST /app/account/organization' && a.body.id === 'org_2'))
  assert.deepEqual(gone, ['again'])
  serve({ 'POST /app/account/organization': refusal(403, 'you left it') })
  await put('Organization', 'org_2')
  assert.equal(text('[role=alert]'), 'You left it')
  assert.equal(gone.length, 1)
})

test('account: an address that is not verified: another mail, and a look when one comes back', async () => {
  const who = me({ verified: false, organizations: me().organizations.slice(0, 1) })
  await opened('/account/keys', who, {
    'POST /app/verify/again': {},
    'GET /app/options': { accounts: true, mail: 'log', providers: [] },
  })
  assert.match(
    text('.notice'),
    /^Verify ada@example\.com\..*This server writes its mails to its log\./,
  )
  assert.ok(!buttons().includes('Make a key'))
  assert.equal(all('select').length, 0) // there is no other
  await press('Send another')
  assert.match(text('.notice'), /Sent\.$/)
  serve({ 'GET /app/account': me() })
  await does(() => dispatchEvent(new Event('focus')))
  assert.equal(all('.notice').length, 0)
  assert.ok(buttons().includes('Make a key'))
})

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36'
const session = (id, more = {}) => ({
  ...{ id, current: false, network: '10.0.0.0/24', agent: chrome },
  ...{
    created_at: '2026-04-20T08:00:00Z',
    seen_at: '2026-04-20T11:00:00Z',
    ends_at: '2026-05-20T08:00:00Z',
  },
  ...more,
})
const agents = { 'GET /app/account/agents': { data: [] } }

test('account: sessions by browser, each can be ended, this one as well', async () => {
  const data = [
    session('s/1', { current: true }),
    session('s/2', { agent: 'curl <8>', network: '' }),
  ]
  await opened('/account/sessions', me(), {
    ...agents,
    'GET /app/account/sessions': { data },
    'DELETE /app/*': [204],
  })
  assert.deepEqual(rows(), [
    [
      'Chrome on Linuxthis one',
      '10.0.0.0/24',
      '2026-04-20 08:00:00',
      '60 minutes ago',
      '2026-05-20',
      'Sign out',
    ],
    ['curl <8>', '–', '2026-04-20 08:00:00', '60 minutes ago', '2026-05-20', 'End'],
  ])
  await press('End: curl <8>')
  await press('End it: curl <8>')
  assert.ok(asked.some((a) => a.name === 'DELETE /app/account/sessions/s%2F2'))
  assert.equal(all('h2').length, 1) // no agents
  await press(one('td button.small:not([aria-label])'))
  assert.deepEqual(gone.splice(0), ['/sign-in'])
  await press('Sign out everywhere: every session and this one')
  await press('Sign out: every session and this one')
  assert.deepEqual(gone, ['/sign-in'])
})

test('account: agents that act for it', async () => {
  const agent = {
    id: 'a1',
    client: 'c',
    name: 'helper <b>',
    scopes: ['read', 'run'],
    organization: 'ada',
    created_at: '2026-04-20T08:00:00Z',
    used_at: '2026-04-19T08:00:00Z',
  }
  await opened('/account/sessions', me(), {
    'GET /app/account/sessions': { data: [] },
    'GET /app/account/agents': { data: [agent] },
    'DELETE /app/account/agents/a1': [204],
  })
  assert.deepEqual(rows('[aria-label=Agents] tbody'), [
    ['helper <b>', 'read, run', 'ada', '2026-04-20 08:00:00', '28 hours ago', 'End'],
  ])
  serve({ 'GET /app/account/agents': { data: [] } })
  await press('End: helper <b>')
  await press('End it: helper <b>')
  assert.equal(all('[aria-label=Agents]').length, 0)
})

test('account: the address and the password are changed; a wrong one is told', async () => {
  await opened('/account', me(), {
    'POST /app/account/email': refusal(401, 'no', { detail: [{ msg: 'the password is wrong' }] }),
  })
  assert.equal(document.title, 'Account · Ladderback')
  const [address, , leave] = all('form')
  const fill = (form, name, value) => put(one(`input[name=${name}]`, form), value)
  await fill(address, 'email', 'new@example.com')
  await fill(address, 'password', 'wrong')
  await press('Change the address')
  assert.equal(one('[role=alert]', address).textContent, 'The password is wrong')
  assert.deepEqual(sent(), [
    'POST /app/account/email',
    { email: 'new@example.com', password: 'wrong' },
  ])
  serve({ 'POST /app/account/email': {}, 'POST /app/account/password': {} })
  await press('Change the address')
  assert.match(address.textContent, /We wrote to the new address: its link makes the change\./)
  await put('Password now', 'old')
  await put('New password', 'three blue ladders')
  await press('Change the password')
  assert.ok(
    asked.some((a) => a.body?.current === 'old' && a.body.password === 'three blue ladders'),
  )
  assert.equal(field('New password').value, '')
  void leave
})

test('account: who signs in through a provider sets a password; which providers there are', async () => {
  const identities = [{ issuer: 'https://id.example.com', created_at: '2026-01-02T00:00:00Z' }]
  await opened('/account', me({ password: false, identities }), {
    'POST /app/account/password': {},
  })
  assert.match(text(), /You sign in through https:\/\/id\.example\.com\./)
  assert.equal(text('.plainlist'), 'https://id.example.com since 2026-01-02')
  assert.ok(!buttons().includes('Change the address'))
  await put('New password', 'three blue ladders')
  await press('Set a password')
  assert.deepEqual(asked.find((a) => a.name.endsWith('/password')).body, {
    password: 'three blue ladders',
  })
  await opened('/account')
  await show(<Account key="none" path="/account" />)
  assert.match(text(), /None\. Whoever signs in through House with this address/)
})

test('account: everything can be had, and all of it deleted', async () => {
  await opened('/account', me(), { 'POST /app/account/delete': {} })
  assert.equal(button('Download everything').getAttribute('href'), '/app/account/export')
  const form = all('form').at(-1)
  await put(one('input[name=password]', form), 'three blue ladders')
  await press('Delete the account for good')
  assert.deepEqual(sent(), ['POST /app/account/delete', { password: 'three blue ladders' }])
  assert.deepEqual(gone, ['/register'])
  assert.equal(one('input[type=checkbox]', form).required, true)
  void window
})
