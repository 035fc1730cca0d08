// The pages of an account, loaded when one is opened: keys, usage, members, sessions,
// audit, and the account itself.
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { Field, Form, Said, Sure, useAsked, wrong, type Told } from './form'
import { Audit, Keys, Members, Usage } from './organization'
import {
  may,
  send,
  type Account as Person,
  type AgentRow,
  type Options,
  type SessionRow,
} from './people'
import { ago, clock, day, sentence } from './text'

export const Name = (p: { value: string }) => (
  <input type="email" name="username" autocomplete="username" value={p.value} readOnly hidden />
)

/** leave ends the session, and everything that the page holds. */
export async function leave(): Promise<void> {
  await send('DELETE', '/session').catch(() => {})
  location.assign('/sign-in')
}

function device(agent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|HeadlessChrome|Safari)\//.exec(agent)?.[1] ?? ''
  const on = /(Windows|Android|iPhone|iPad|Mac OS X|CrOS|Linux)/.exec(agent)?.[1] ?? ''
  const name = { Edg: 'Edge', OPR: 'Opera', HeadlessChrome: 'Chrome' }[browser] ?? browser
  if (!name) return agent.slice(0, 40) || 'unknown'
  return name + (on ? ' on ' + on.replace(' OS X', '') : '')
}

function Sessions() {
  const { got, told, again } = useAsked<{ data: SessionRow[] }>('/account/sessions')
  return (
    <>
      <h2>
        Sessions{' '}
        <small>Each ends after 12 hours without a request, and after 30 days at the latest.</small>
      </h2>
      <Said told={told} />
      <div class="wrapx" tabIndex={0} role="region" aria-label="Sessions">
        <table class="list">
          <thead>
            <tr>
              <th>browser</th>
              <th>network</th>
              <th class="wide">signed in</th>
              <th>last use</th>
              <th class="wide">ends</th>
              <th>
                <span class="sr">end it</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {got?.data.map((s) => (
              <tr key={s.id}>
                <td title={s.agent}>
                  {device(s.agent)}
                  {s.current && <span class="tag plain">this one</span>}
                </td>
                <td>{s.network || '–'}</td>
                <td class="wide">{clock(s.created_at)}</td>
                <td title={clock(s.seen_at)}>{ago(s.seen_at)}</td>
                <td class="wide">{day(s.ends_at)}</td>
                <td class="n">
                  {s.current ? (
                    <button class="small" onClick={() => void leave()}>
                      Sign out
                    </button>
                  ) : (
                    <Sure
                      name="End"
                      sure="End it"
                      about={device(s.agent)}
                      act={() =>
                        send('DELETE', '/account/sessions/' + encodeURIComponent(s.id)).then(again)
                      }
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="acts pad">
        <Sure
          name="Sign out everywhere else"
          sure="End all others"
          about="every session but this one"
          act={() => send('DELETE', '/account/sessions').then(again)}
        />
        <Sure
          name="Sign out everywhere"
          sure="Sign out"
          about="every session and this one"
          act={() => send('DELETE', '/account/sessions').then(leave)}
        />
      </div>
    </>
  )
}

/** Agents lists what acts for the account by a token; nothing where nothing does. */
function Agents() {
  const { got, told, again } = useAsked<{ data: AgentRow[] }>('/account/agents')
  return (
    <>
      <Said told={told} />
      {!!got?.data.length && (
        <>
          <h2>
            Agents{' '}
            <small>
              They act for you, within your limits. Each ends after 30 days without a use.
            </small>
          </h2>
          <div class="wrapx" tabIndex={0} role="region" aria-label="Agents">
            <table class="list">
              <thead>
                <tr>
                  <th>agent</th>
                  <th>may</th>
                  <th class="wide">organization</th>
                  <th class="wide">allowed</th>
                  <th>last use</th>
                  <th>
                    <span class="sr">end it</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {got.data.map((a) => (
                  <tr key={a.id}>
                    <td title={a.client}>{a.name}</td>
                    <td>{a.scopes.join(', ')}</td>
                    <td class="wide">{a.organization}</td>
                    <td class="wide">{clock(a.created_at)}</td>
                    <td title={clock(a.used_at)}>{ago(a.used_at)}</td>
                    <td class="n">
                      <Sure
                        name="End"
                        sure="End it"
                        about={a.name}
                        act={() =>
                          send('DELETE', '/account/agents/' + encodeURIComponent(a.id)).then(again)
                        }
                      />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  )
}

function Settings({
  me,
  again,
  providers,
  log,
}: {
  log: boolean
  me: Person
  again: () => Promise<void>
  providers: Options['providers']
}) {
  return (
    <>
      <h2>Address</h2>
      <p class="lead">
        <b>{me.email}</b> <span class="q">{me.verified ? 'verified' : 'not verified yet'}</span>
      </p>
      {me.password && (
        <Form
          button="Change the address"
          send={async (f) => {
            await send('POST', '/account/email', { email: f.email, password: f.password })
            return (
              'We wrote to the new address: its link makes the change. The old one is told.' +
              (log ? ' This server writes its mails to its log.' : '')
            )
          }}
        >
          <Field label="New address" name="email" type="email" autocomplete="email" required />
          <Field
            label="Password"
            name="password"
            type="password"
            autocomplete="current-password"
            required
          />
        </Form>
      )}
      <section>
        <h2>
          Password <small>All other sessions end.</small>
        </h2>
        <Form
          button={me.password ? 'Change the password' : 'Set a password'}
          send={async (f) => {
            await send(
              'POST',
              '/account/password',
              me.password ? { current: f.current, password: f.password } : { password: f.password },
            )
            await again()
            return 'The password is changed, and your address was told.'
          }}
        >
          <Name value={me.email} />
          {me.password && (
            <Field
              label="Password now"
              name="current"
              type="password"
              autocomplete="current-password"
              required
            />
          )}
          <Field
            label="New password"
            name="password"
            type="password"
            autocomplete="new-password"
            minLength={12}
            required
          />
        </Form>
        {!me.password && (
          <p class="q small pad">
            You sign in through {me.identities.map((i) => i.issuer).join(', ')}. A password is
            another way in.
          </p>
        )}
      </section>
      {(me.identities.length > 0 || providers.length > 0) && (
        <section>
          <h2>Identity providers</h2>
          {me.identities.length === 0 && (
            <p class="q pad">
              None. Whoever signs in through {providers.map((p) => p.name).join(' or ')} with this
              address is asked for the password once, and joined.
            </p>
          )}
          {me.identities.length > 0 && (
            <ul class="plainlist">
              {me.identities.map((i) => (
                <li key={i.issuer}>
                  {i.issuer} <span class="q">since {day(i.created_at)}</span>
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
      <section>
        <h2>Leave</h2>
        <p class="pad">
          <a class="button" href="/app/account/export" download="account.json">
            Download everything
          </a>
        </p>
        <p class="q small pad">
          One JSON file: account, organizations, keys without their secrets, usage, runs, audit.
        </p>
        <Form
          danger
          button="Delete the account for good"
          send={async (f) => {
            await send('POST', '/account/delete', me.password ? { password: f.password } : {})
            location.assign('/register')
          }}
        >
          <Name value={me.email} />
          {me.password && (
            <Field
              label="Password"
              name="password"
              type="password"
              autocomplete="current-password"
              required
            />
          )}
          <label class="check">
            <input type="checkbox" required />{' '}
            {sentence('keys and sessions end at once, runs and mail go within a day')}
          </label>
        </Form>
      </section>
    </>
  )
}

interface Tab {
  name: string
  path: string
  owner?: boolean
}

const tabs: Tab[] = [
  { name: 'Keys', path: '/account/keys' },
  { name: 'Usage', path: '/account/usage' },
  { name: 'Members', path: '/account/members' },
  { name: 'Sessions', path: '/account/sessions' },
  { name: 'Audit', path: '/account/audit', owner: true },
  { name: 'Account', path: '/account' },
]

function Unverified({ me, log }: { me: Person; log: boolean }) {
  return (
    <div class="notice">
      <p>
        <b>Verify {me.email}.</b> The link is in the mail that was sent there; keys and invitations
        need it. {log && 'This server writes its mails to its log.'}
      </p>
      <Form
        button="Send another"
        send={async () => {
          await send('POST', '/verify/again')
          return 'Sent.'
        }}
      />
    </div>
  )
}

export function Account({ path }: { path: string }) {
  const { got: me, told, again } = useAsked<Person>('/account')
  const [moved, tell] = useState<Told>() // why not to another organization
  const { got: options } = useAsked<Options>('/options')
  const tab = tabs.find((t) => t.path === path)
  useLayoutEffect(() => {
    // the link may have been opened in another tab
    if (me?.verified !== false) return
    const look = () => void again()
    addEventListener('focus', look)
    return () => removeEventListener('focus', look)
  }, [me?.verified])
  useEffect(() => {
    document.title = (tab && path !== '/account' ? tab.name + ' · ' : '') + 'Account · Ladderback'
  }, [path])
  if (!me)
    return (
      <main id="result" class="page" tabIndex={-1} aria-busy={!told}>
        <h1>Account</h1>
        <Said told={told} />
      </main>
    )
  const here = me.organizations.find((o) => o.id === me.organization)
  const log = options?.mail === 'log'
  const move = (id: string) =>
    void send('POST', '/account/organization', { id })
      .then(() => location.reload())
      .catch((err: unknown) => tell(wrong(err)))
  return (
    <main id="result" class="page account" tabIndex={-1}>
      <div class="row wrap">
        <h1>{here?.name}</h1>
        <div class="acts">
          {me.organizations.length > 1 && (
            <select
              aria-label="Organization"
              value={me.organization}
              onChange={(e) => move(e.currentTarget.value)}
            >
              {me.organizations.map((o) => (
                <option key={o.id} value={o.id}>
                  {o.name}
                </option>
              ))}
            </select>
          )}
          <button class="narrow" onClick={() => void leave()}>
            Sign out
          </button>
        </div>
      </div>
      <p class="q">
        {me.email} · {me.role} · plan {sentence(here?.plan ?? '')}
      </p>
      {moved && <Said told={moved} />}
      <nav class="tabs" aria-label="Account">
        {tabs
          .filter((t) => !t.owner || me.role === 'owner')
          .map((t) => (
            <a key={t.path} href={t.path} aria-current={t === tab ? 'page' : undefined}>
              {t.name}
            </a>
          ))}
      </nav>
      {!me.verified && <Unverified me={me} log={log} />}
      <div class="tab">
        {path === '/account/keys' ? (
          <Keys me={me} make={me.verified && may(me.role, 'member')} />
        ) : path === '/account/usage' ? (
          <Usage />
        ) : path === '/account/members' ? (
          <Members me={me} name={here?.name ?? ''} again={again} log={log} />
        ) : path === '/account/sessions' ? (
          <>
            <Sessions />
            <Agents />
          </>
        ) : path === '/account/audit' ? (
          <Audit />
        ) : path === '/account' ? (
          <Settings me={me} again={again} providers={options?.providers ?? []} log={log} />
        ) : (
          <p>No such page.</p>
        )}
      </div>
    </main>
  )
}
