// Accounts in a browser: the whole life of one, over a mail server that wants STARTTLS and
// a password, and with an identity provider; without a script; and what must never happen.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { after, before } from 'node:test'
import { axeLooks, freePort, patience, World } from './world.mjs'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const password = 'three blue ladders'
const bob = { email: 'bob@example.com', password: 'eleven quiet rivers' }

let w, post, provider, metrics
let scraped = '' // from the metrics, before each end of the server
const mails = []
const secrets = new Set([password, bob.password, 'mailbox-password', 'provider-secret'])

/** mailTo waits for a mail to somebody, about something, which is then read. */
async function mailTo(email, about) {
  for (const since = Date.now(); Date.now() - since < patience;) {
    const at = mails.findIndex((m) => m.to.includes(email) && about.test(m.subject))
    if (at >= 0) return mails.splice(at, 1)[0]
    await new Promise((r) => setTimeout(r, 100))
  }
  assert.fail(
    `no mail to ${email} about ${about}: ${JSON.stringify(mails.map((m) => [m.to, m.subject]))} ${w.log}`,
  )
}

const scrape = async () => {
  scraped += await (await fetch(metrics + '/metrics')).text()
}

const linkIn = (mail) => {
  const [link] =
    new RegExp(w.base.replaceAll('.', '\\.') + '/\\w+#\\S+').exec(mail.text) ??
    assert.fail('no link: ' + mail.text)
  assert.ok(mail.html.includes(link.split('#')[1]))
  return link
}

/** startProvider is an OpenID Connect provider with one client; login is the address of who signs in. */
async function startProvider(base) {
  console.warn = () => {} // it would rather run on a later Node
  console.info = () => {}
  const { default: Provider } = await import('oidc-provider')
  const issuer = 'http://localhost:' + (await freePort())
  const oidc = new Provider(issuer, {
    clients: [
      {
        client_id: 'ladderback',
        client_secret: 'provider-secret',
        redirect_uris: [base + '/app/providers/house/callback'],
      },
    ],
    pkce: { required: () => true },
    claims: { email: ['email', 'email_verified'] },
    cookies: { keys: ['cookies of a test'] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: true }),
    }),
    interactions: { url: (_, i) => '/interaction/' + i.uid },
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client.clientId,
        accountId: ctx.oidc.session.accountId,
      })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
  })
  const self = { issuer, login: '', give: true }
  const callback = oidc.callback()
  self.server = http
    .createServer((req, res) => {
      if (!req.url.startsWith('/interaction/')) return callback(req, res)
      const result = self.give
        ? { login: { accountId: self.login } }
        : { error: 'access_denied', error_description: 'given up' }
      oidc
        .interactionFinished(req, res, result, { mergeWithLastSubmission: false })
        .catch((err) => res.destroy(err))
    })
    .listen(Number(new URL(issuer).port), 'localhost')
  await once(self.server, 'listening')
  return self
}

before(async () => {
  w = await World.begin(async (w) => {
    const certificate = join(w.dir, 'mailbox.pem')
    assert.ok(process.env.LADDERBACK_MAILBOX, 'LADDERBACK_MAILBOX names the mail server')
    post = spawn(process.env.LADDERBACK_MAILBOX, [certificate], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface(post.stdout)
    const [first] = await once(lines, 'line')
    lines.on('line', (line) => {
      const mail = JSON.parse(line)
      mails.push(mail)
      for (const [, secret] of mail.text.matchAll(/#([\w-]{43})/g)) secrets.add(secret)
    })
    provider = await startProvider(w.base)
    w.hosts.push(provider.issuer)
    await writeFile(
      join(w.dir, 'c.yaml'),
      `
log_level: debug
log_requests: all
accounts:
  enabled: true
  base_url: ${w.base}
  providers: [{id: house, name: House, issuer: "${provider.issuer}", client_id: ladderback}]
mail:
  from: Ladderback <no-reply@example.com>
  smtp: {host: localhost, port: ${JSON.parse(first).port}, username: ladderback}
`,
    )
    metrics = `http://127.0.0.1:${await freePort()}`
    w.args = ['--config', join(w.dir, 'c.yaml'), '--metrics-addr', new URL(metrics).host]
    w.env = {
      SSL_CERT_FILE: certificate,
      LADDERBACK_MAIL_SMTP_PASSWORD: 'mailbox-password',
      LADDERBACK_ACCOUNTS_PROVIDER_HOUSE_SECRET: 'provider-secret',
    }
  })
})
after(async () => {
  provider?.server.closeAllConnections()
  provider?.server.close()
  post?.kill()
  await w?.end()
})

const title = (page, name) => page.getByRole('heading', { level: 1, name }).waitFor()
/** home waits for where somebody of the smallest plan begins: there is nothing to see in the workbench. */
const home = (page) => title(page, 'Markets')
/** focused waits until a field or button has the focus: keys go there. */
const focused = (page, selector) =>
  page.waitForFunction((s) => document.activeElement?.matches(s), selector)
const press = (page, name) => page.getByRole('button', { name, exact: true }).click()

async function signIn(page, who) {
  await page.goto(w.base + '/sign-in')
  await page.fill('#email', who.email)
  await page.fill('#password', who.password)
  await press(page, 'Sign in')
}

/** join registers somebody and verifies the address. */
async function register(page, who) {
  await page.goto(w.base + '/register')
  await page.fill('#email', who.email)
  await page.fill('#password', who.password)
  await press(page, 'Register')
  await title(page, 'Look into your mail')
  await page.goto(linkIn(await mailTo(who.email, /address/i)))
  await page.fill('#password', who.password) // the link alone is not enough
  await press(page, 'Verify')
  await title(page, 'Address verified')
}

/** usage is the status of a key. */
const usage = async (key) =>
  (await fetch(w.base + '/v1/usage', { headers: { 'X-API-Key': key } })).status

test('the whole life of an account', async () => {
  const ada = { email: 'ada@example.com', password }
  const page = await w.open('/', { key: null })
  await title(page, 'Sign in') // led there
  await page.getByRole('link', { name: 'Register' }).click()
  await title(page, 'Register')
  await focused(page, '#email')
  await page.keyboard.type(ada.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type('password1234')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'tried first' }).waitFor()
  await focused(page, '#password')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await title(page, 'Look into your mail')

  // Before the address is verified one can sign in, and make no key. The mail comes with the account.
  const link = linkIn(await mailTo(ada.email, /address/i))
  await signIn(page, ada)
  await page.getByText('Verify ' + ada.email).waitFor()
  assert.match(page.url(), /\/account\/keys$/)
  assert.equal(await page.getByRole('button', { name: 'Make a key' }).count(), 0)

  assert.equal((await fetch(link)).status, 200) // a scanner looks first
  await page.goto(link)
  await title(page, 'Verify your address')
  await focused(page, 'button')
  assert.equal(await page.evaluate(() => location.hash), '')
  await page.keyboard.press('Enter')
  await title(page, 'Address verified')
  await page.goto('about:blank')
  await page.goto(link)
  await press(page, 'Verify')
  await page.getByRole('alert').filter({ hasText: 'was used before' }).waitFor()

  await page.goto(w.base + '/account/keys')
  await page.getByLabel('Name').fill('notebook')
  await page.keyboard.press('Enter')
  const key = await page.locator('#secret').textContent()
  assert.match(key, /^lb_\w{20,}$/)
  await press(page, 'Done')
  await page.reload()
  await page.getByRole('cell', { name: 'notebook', exact: true }).waitFor()
  assert.ok(!(await page.content()).includes(key), 'the secret is shown again')
  for (let i = 0; i < 3; i++)
    assert.equal((await fetch(w.base + '/v1/tags', { headers: { 'X-API-Key': key } })).status, 200)
  assert.equal(await usage(key), 200)
  await page.getByRole('link', { name: 'Usage' }).click()
  const now = page
    .getByRole('region', { name: 'Used now' })
    .getByRole('row')
    .filter({ hasText: 'notebook' })
  await now.filter({ hasText: '3 of 1,000' }).waitFor()
  await page
    .getByRole('region', { name: 'The last 30 days by key' })
    .getByRole('row')
    .filter({ hasText: 'notebook' })
    .waitFor()
  assert.equal((await fetch(w.base + '/v1/tags', { headers: { 'X-API-Key': key } })).status, 200)
  await now.filter({ hasText: '4 of 1,000' }).waitFor() // it moves by itself

  await page.getByText(/itself is among them, and counts against no limit/).waitFor()
  await page.getByRole('link', { name: 'Keys' }).click()
  await page.getByRole('button', { name: 'Revoke: notebook' }).click()
  await press(page, 'Revoke for good: notebook')
  await page.getByText('revoked 20').waitFor()
  const since = Date.now()
  while ((await usage(key)) !== 401) {
    assert.ok(Date.now() - since < patience, 'a revoked key goes on')
    await new Promise((r) => setTimeout(r, 100))
  }

  // The secret of a key that was just made goes with the key.
  await page.getByLabel('Name').fill('short-lived')
  await page.keyboard.press('Enter')
  await page.getByText('Copy the key now.').waitFor()
  await page.getByRole('button', { name: 'Revoke: short-lived' }).click()
  await press(page, 'Revoke for good: short-lived')
  await page.getByText('Copy the key now.').waitFor({ state: 'detached' })
  assert.equal(await page.locator('#secret').count(), 0)
  await page.getByRole('button', { name: 'Revoke for good' }).waitFor({ state: 'detached' })

  // On a phone every button of the keys is whole, and the menus are a line each.
  await page.setViewportSize({ width: 390, height: 844 })
  const out = await page.evaluate(() =>
    [...document.querySelectorAll('main button, nav')]
      .filter((e) => e.offsetParent)
      .filter((e) => {
        const box = e.getBoundingClientRect()
        return e.matches('nav') ? box.height > 60 : box.left < 0 || box.right > 390.5
      })
      .map((e) => e.textContent),
  )
  assert.deepEqual(out, [])
  await page.setViewportSize({ width: 1440, height: 900 })

  // Forgotten in another browser: this one is signed out.
  const other = await w.open('/sign-in', { key: null })
  await other.getByRole('link', { name: 'Forgotten' }).click()
  await other.fill('#email', ada.email)
  await press(other, 'Send a link')
  await title(other, 'Look into your mail')
  ada.password = 'another set of words'
  await other.goto(linkIn(await mailTo(ada.email, /password/i)))
  await focused(other, '#password')
  await other.keyboard.type(ada.password)
  await other.keyboard.press('Enter')
  await title(other, 'Password set')
  await page.reload()
  await title(page, 'Sign in')
  await signIn(other, { email: ada.email, password })
  await other.getByRole('alert').filter({ hasText: 'wrong' }).waitFor()
  await signIn(other, ada)
  await home(other)
  await signIn(page, ada)
  await home(page)

  await page.getByRole('link', { name: 'Account' }).click()
  await page.getByRole('link', { name: 'Sessions' }).click()
  await page.getByText('this one').waitFor()
  await press(page, 'Sign out everywhere: every session and this one')
  await press(page, 'Sign out: every session and this one')
  await title(page, 'Sign in')
  await other.goto(w.base + '/account')
  await title(other, 'Sign in')
  await w.close(other)

  await signIn(page, ada)
  await page.goto(w.base + '/account')
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download everything' }).click()
  const all = JSON.parse(await readFile(await (await download).path(), 'utf8'))
  assert.equal(all.account.email, ada.email)
  const leave = page.locator('section').filter({ hasText: 'Leave' })
  await leave.getByLabel('Password').fill(ada.password)
  await leave.getByRole('checkbox').check()
  await press(page, 'Delete the account for good')
  await title(page, 'Register')
  await signIn(page, ada)
  await page.getByRole('alert').filter({ hasText: 'wrong' }).waitFor()
  await w.close(page)
  secrets.add(ada.password).add(key)
})

test('where mails go to the log, only who waits for one is told', async (t) => {
  const log = await World.begin(async (w) => {
    const config = join(w.dir, 'log.yaml')
    await writeFile(config, `mail: log\naccounts: {enabled: true, base_url: "${w.base}"}\n`)
    w.args = ['--config', config]
  })
  t.after(() => log.end())
  const eli = { email: 'eli@example.com', password }
  const told = 'This server writes its mails to its log.'
  const page = await log.open('/register', { key: null })
  await page.fill('#email', eli.email)
  await page.fill('#password', eli.password)
  await press(page, 'Register')
  await title(page, 'Look into your mail')
  let link // is written when the account is there
  while (!(link = /http\S+\/verify#[\w-]+/.exec(log.log + log.out)))
    await new Promise((r) => setTimeout(r, 100))
  await page.goto(log.base + '/sign-in')
  await page.fill('#email', eli.email)
  await page.fill('#password', eli.password)
  await press(page, 'Sign in')
  await page.getByText('Verify ' + eli.email).waitFor()
  await page.getByText(told).waitFor()
  await page.goto('about:blank')
  await page.goto(link[0]) // signed in, no password is asked for
  await press(page, 'Verify')
  await title(page, 'Address verified')
  for (const path of ['/keys', '/usage', '']) {
    await page.goto(log.base + '/account' + path)
    await page.locator('main:not([aria-busy=true]) h2').first().waitFor()
    assert.equal(await page.getByText(told).count(), 0, path)
  }
  const address = page.locator('form').filter({ hasText: 'New address' })
  await address.getByLabel('New address').fill('eli.b@example.com')
  await address.getByLabel('Password').fill(eli.password)
  await press(page, 'Change the address')
  await page.getByText(told).waitFor()
  await log.close(page)
})

test('without a script: register, sign in, verify, reset', async () => {
  const eve = { email: 'eve@example.com', password }
  const page = await w.open('/register', { key: null, script: false })
  await page.fill('#email', eve.email)
  await page.fill('#password', 'short password')
  await page.fill('#password', eve.password)
  await press(page, 'Register')
  await title(page, 'Look into your mail')
  await page.getByRole('link', { name: 'I have a code to paste' }).click()
  await page.fill('#code', linkIn(await mailTo(eve.email, /address/i)).split('#')[1])
  await page.fill('#password', eve.password)
  await press(page, 'Verify')
  await title(page, 'Address verified')
  await page.goto(w.base + '/forgotten')
  await page.fill('#email', eve.email)
  await press(page, 'Send a link')
  await page.getByRole('link', { name: 'I have a code to paste' }).click()
  await page.fill('#code', linkIn(await mailTo(eve.email, /password/i)))
  eve.password = 'another set of words'
  await page.fill('#password', eve.password)
  await press(page, 'Set the password')
  await title(page, 'Password set')
  await page.goto(w.base + '/sign-in?next=%2Faccount%2Fkeys')
  await page.fill('#email', eve.email)
  await page.fill('#password', eve.password)
  await press(page, 'Sign in')
  await page.waitForURL(w.base + '/account/keys')
  assert.ok((await page.context().request.get(w.base + '/app/account')).ok())
  await w.close(page)
})

test('a key signs in beside accounts, and has none of their pages', async () => {
  const page = await w.open('/sign-in', { key: null })
  await page.getByRole('link', { name: 'API key' }).click()
  await page.fill('#key', w.key)
  await page.keyboard.press('Enter')
  await page.locator('#sentence').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Account', exact: true }).count(), 0)
  await page.goto(w.base + '/account/keys')
  await title(page, 'No such page')
  await w.close(page)
})

test('an identity provider: signed up, in again, joined after the password, given up, down', async () => {
  provider.login = 'carol@example.com'
  const page = await w.open('/sign-in?next=%2Faccount', { key: null })
  await page.getByRole('link', { name: 'Continue with House' }).click()
  await page.getByText('carol@example.com').first().waitFor()
  await page.waitForURL(w.base + '/account')
  await page.getByText('verified', { exact: true }).waitFor() // the provider vouches for it
  await page.getByText(provider.issuer).first().waitFor()
  assert.equal(
    (await page.context().cookies(w.base)).filter((c) => c.name.includes('flow')).length,
    0,
  )
  await press(page, 'Sign out')
  await title(page, 'Sign in')
  await page.getByRole('link', { name: 'Continue with House' }).click()
  await home(page)
  await w.close(page)

  const second = await w.open('/register', { key: null })
  await register(second, bob)
  provider.login = bob.email
  await second.goto(w.base + '/sign-in')
  await second.getByRole('link', { name: 'Continue with House' }).click()
  await title(second, 'You have an account already')
  await focused(second, '#password')
  await second.keyboard.type('not the password')
  await second.keyboard.press('Enter')
  await second.getByRole('alert').filter({ hasText: 'The password is wrong.' }).waitFor()
  await focused(second, '#password')
  await second.keyboard.type(bob.password)
  await second.keyboard.press('Enter')
  await home(second)
  await mailTo(bob.email, /./) // is told
  await second.goto(w.base + '/account')
  await second.getByText(provider.issuer).first().waitFor()
  await w.close(second)

  provider.give = false
  const third = await w.open('/sign-in', { key: null })
  await third.getByRole('link', { name: 'Continue with House' }).click()
  await third.getByRole('alert').filter({ hasText: 'was given up' }).waitFor()
  provider.give = true
  await w.close(third)
})

test('an invitation by mail; a viewer reads', async () => {
  const page = await w.open('/register', { key: null })
  const dan = { email: 'dan@example.com', password }
  await register(page, dan)
  await signIn(page, dan)
  await page.goto(w.base + '/account/members')
  await page.getByLabel('Email address').fill(bob.email)
  await page.getByLabel('Role', { exact: true }).selectOption('viewer')
  await press(page, 'Invite')
  await page.getByText('Sent.').waitFor()
  await page.getByRole('cell', { name: bob.email, exact: true }).waitFor()

  const other = await w.open('/invitation', { key: null })
  await other.goto('about:blank')
  await other.goto(linkIn(await mailTo(bob.email, /invit/i)))
  await other.getByRole('link', { name: 'Sign in' }).click()
  await other.fill('#email', bob.email)
  await other.fill('#password', bob.password)
  await press(other, 'Sign in')
  await title(other, 'An invitation') // with what the link carried
  await press(other, 'Join the organization')
  await other.waitForURL(w.base + '/account/members')
  await title(other, 'dan')
  await other.getByRole('cell', { name: dan.email, exact: true }).waitFor()
  assert.equal(await other.getByRole('button', { name: 'Invite' }).count(), 0)
  assert.equal(await other.getByRole('link', { name: 'Audit' }).count(), 0)
  await other.getByRole('link', { name: 'Keys' }).click()
  await other.getByText('No keys yet').waitFor()
  assert.equal(await other.getByRole('button', { name: 'Make a key' }).count(), 0)

  // A member from the next request on.
  await page.reload()
  await page.getByLabel('Role of ' + bob.email).selectOption('member')
  await page.getByText(`${bob.email} is member now`).waitFor()
  await other.reload()
  await other.getByRole('button', { name: 'Make a key' }).waitFor()
  await page.getByRole('link', { name: 'Audit' }).click()
  await page.getByRole('cell', { name: 'invited as viewer' }).waitFor()

  // Back in the organization of one's own.
  await other.getByLabel('Organization').selectOption({ label: 'bob' })
  await title(other, 'bob')
  await w.close(other)

  // axe finds nothing on any page, small and large, by day and by night.
  const state = await page.context().storageState()
  await w.close(page)
  const inside = [
    '/account/keys',
    '/account/usage',
    '/account/members',
    '/account/sessions',
    '/account/audit',
    '/account',
  ]
  const outside = [
    '/sign-in',
    '/register',
    '/verify',
    '/forgotten',
    '/reset',
    '/join',
    '/invitation',
  ]
  for (const [paths, who] of [
    [outside, undefined],
    [inside, state],
  ]) {
    const look = await w.open('about:blank', {
      key: null,
      state: who,
      before: (p) => p.addInitScript(axe),
    })
    for (const path of paths) {
      await look.goto(w.base + path)
      await look
        .locator(who ? '.tab :is(td, form, dl)' : 'main h1')
        .first()
        .waitFor()
      // The dark colours are others, and nothing else is.
      for (const [scheme, width, rules] of axeLooks?.map((l) => [...l, {}]) ?? [
        ['light', 360, {}],
        ['light', 1440, {}],
        ['dark', 1440, { runOnly: ['color-contrast'] }],
      ]) {
        await look.emulateMedia({ colorScheme: scheme })
        await look.setViewportSize({ width, height: 800 })
        const found = await look.evaluate(
          async (o) =>
            (await globalThis.axe.run({ ...o, resultTypes: ['violations'] })).violations.map(
              (v) => `${v.id}: ${v.nodes.map((n) => n.html).join(' ')}`,
            ),
          rules,
        )
        assert.deepEqual(found, [], `${path} at ${width}, ${scheme}`)
        assert.ok(
          await look.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
          `${path} at ${width} scrolls sideways`,
        )
      }
    }
    await w.close(look)
  }
})

test('the provider is down: said, and the other ways stay', async () => {
  provider.server.closeAllConnections()
  provider.server.close()
  await scrape()
  await w.kill()
  await w.serve() // has not asked the provider yet
  const page = await w.open('/sign-in', { key: null })
  await page.getByRole('link', { name: 'Continue with House' }).click()
  await page.getByRole('alert').filter({ hasText: 'House does not answer' }).waitFor()
  await page.fill('#email', bob.email)
  await page.fill('#password', bob.password)
  await press(page, 'Sign in')
  await home(page)
  await w.close(page)
})

test('no password, link, key or cookie of all this is in the log, the metrics or the store', async () => {
  await scrape()
  assert.ok(scraped.includes('"/sign-in"'), scraped)
  assert.ok(w.log.includes('/sign-in'), w.log)
  await w.kill() // what it has at work comes and goes beside the store
  let kept = ''
  for (const name of await readdir(w.dir))
    if (name.startsWith('keys.db')) kept += await readFile(join(w.dir, name), 'latin1')
  assert.ok(kept.includes(bob.email))
  for (const cookie of w.cookies) if (cookie.length > 20) secrets.add(cookie)
  assert.ok(secrets.size > 20, 'only ' + secrets.size)
  for (const secret of secrets)
    for (const [name, text] of Object.entries({ log: w.log, metrics: scraped, store: kept }))
      assert.ok(!text.includes(secret), 'a secret is in the ' + name)
})
