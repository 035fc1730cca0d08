// What belongs to an organization: its keys, their usage, its members and its audit.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Field, Form, Said, Sure, useAsked, wrong, type Told } from './form'
import {
  get,
  may,
  roles,
  send,
  type Account as Person,
  type Entry,
  type Invitation,
  type Key,
  type Member,
  type Role,
  type Usage as Used,
} from './people'
import { ago, clock, count, counted, day, NONE, sentence } from './text'

const DAY = 86_400_000

const lives: [string, number][] = [
  ['never', 0],
  ['in 30 days', 30],
  ['in 90 days', 90],
  ['in a year', 365],
]

/** Made shows the secret of a new key, for the only time. */
function Made({ secret, close }: { secret: string; close: () => void }) {
  const [copied, tell] = useState(false)
  const code = useRef<HTMLElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    getSelection()?.selectAllChildren(code.current!)
    button.current!.focus()
  }, [])
  const copy = () =>
    void navigator.clipboard
      .writeText(secret)
      .then(() => tell(true))
      .catch(() => {})
  return (
    <div class="notice made" role="group" aria-label="The new key">
      <p>
        <b>Copy the key now.</b> It is shown this once and kept nowhere.
      </p>
      <p class="secret">
        <code id="secret" tabIndex={0} ref={code}>
          {secret}
        </code>
        <button class="strong" ref={button} onClick={copy}>
          {copied ? 'Copied' : 'Copy'}
        </button>
        <button onClick={close}>Done</button>
      </p>
    </div>
  )
}

export function Keys({ me, make }: { me: Person; make: boolean }) {
  const { got, told, again } = useAsked<{ data: Key[]; most: number }>('/keys')
  const [made, show] = useState<{ id: string; key: string }>() // the newest, while its secret is on show
  const live = got?.data.filter((k) => k.state === 'live').length ?? 0
  return (
    <>
      <h2>
        API keys <small>{got && `${live} of ${got.most} live`}</small>
      </h2>
      {make && (
        <Form
          button="Make a key"
          send={async (f) => {
            const days = Number(f.life)
            const one = await send<Key & { key: string }>('POST', '/keys', {
              name: f.name,
              ...(days && {
                expires_at: new Date(Date.now() + days * DAY).toISOString().slice(0, 19) + 'Z',
              }),
            })
            show(one)
            await again()
          }}
        >
          <Field
            label="Name"
            name="name"
            required
            maxLength={80}
            autocomplete="off"
            placeholder="what it is for"
          />
          <label class="field">
            <span>Ends</span>
            <select name="life">
              {lives.map(([name, days]) => (
                <option key={days} value={days}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </Form>
      )}
      {made && <Made key={made.id} secret={made.key} close={() => show(undefined)} />}
      <Said told={told} />
      {got && got.data.length === 0 && (
        <p class="q pad">
          No keys yet. A key opens the API to your programs: <a href="/docs">how to use it</a>.
        </p>
      )}
      {got && got.data.length > 0 && (
        <div class="wrapx" tabIndex={0} role="region" aria-label="API keys">
          <table class="list">
            <thead>
              <tr>
                <th>name</th>
                <th class="wide">id</th>
                <th class="wide">made by</th>
                <th class="wide">made</th>
                <th>ends</th>
                <th>last use</th>
                <th>
                  <span class="sr">revoke</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {got.data.map((k) => (
                <tr key={k.id} class={k.state === 'live' ? '' : 'q'}>
                  <td class="words">{k.name}</td>
                  <td class="wide">
                    <code>{k.id}</code>
                  </td>
                  <td class="wide">{k.made_by ?? 'a former member'}</td>
                  <td class="wide" title={clock(k.created_at)}>
                    {day(k.created_at)}
                  </td>
                  <td class="ends">
                    {k.state === 'live' ? '' : k.state + ' '}
                    <span class="nb">
                      {k.state === 'revoked'
                        ? day(k.revoked_at!)
                        : k.expires_at
                          ? day(k.expires_at)
                          : 'never'}
                    </span>
                  </td>
                  <td title={k.last_used_at ? clock(k.last_used_at) : undefined}>
                    {k.last_used_at ? ago(k.last_used_at) : 'never'}
                  </td>
                  <td class="n">
                    {k.state === 'live' &&
                      (me.role === 'owner' || (me.role === 'member' && k.made_by === me.email)) && (
                        <Sure
                          name="Revoke"
                          sure="Revoke for good"
                          about={k.name}
                          act={() =>
                            send('DELETE', '/keys/' + encodeURIComponent(k.id)).then(() => {
                              if (made?.id === k.id) show(undefined) // it opens nothing any more
                              return again()
                            })
                          }
                        />
                      )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}

const limited = (n: number | null) => (n === null ? 'no limit' : count(n))

/** Share is how much of a limit is used. */
function Share({ used, of }: { used: number; of: number | null }) {
  return (
    <>
      {count(used)}
      {of !== null && (
        <>
          {' '}
          <span class="q">of {count(of)}</span>
          <span class="bar" aria-hidden="true">
            <i style={{ width: Math.min(100, (100 * used) / of) + '%' }} />
          </span>
        </>
      )}
    </>
  )
}

interface OneDay {
  day: string
  requests: number
  refused: number
} // requests: those answered

/** Chart has a bar a day: what was answered, and on top of it what was refused. */
function Chart({ days }: { days: OneDay[] }) {
  const most = Math.max(1, ...days.map((d) => d.requests + d.refused))
  const w = 720 / days.length
  const h = (n: number) => (100 * n) / most
  const sum = (f: (d: OneDay) => number) => days.reduce((n, d) => n + f(d), 0)
  return (
    <figure class="usage">
      <svg
        viewBox="0 0 720 104"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Requests a day over ${days.length} days: ${count(sum((d) => d.requests))} answered, ${count(sum((d) => d.refused))} refused, at most ${count(most)} on one day`}
      >
        <line class="zero" x1="0" x2="720" y1="103.5" y2="103.5" />
        {days.map((d, i) => (
          <g key={d.day}>
            <title>{`${d.day}: ${count(d.requests)} answered, ${count(d.refused)} refused`}</title>
            <rect x={i * w} y="0" width={w} height="104" fill="transparent" />
            <rect
              class="mean"
              x={i * w + 2}
              y={103 - h(d.requests)}
              width={w - 4}
              height={h(d.requests)}
            />
            <rect
              class="l"
              x={i * w + 2}
              y={103 - h(d.requests + d.refused)}
              width={w - 4}
              height={h(d.refused)}
            />
          </g>
        ))}
      </svg>
      <figcaption class="key">
        <span>{days[0]?.day}</span>
        <span class="push">{count(most)} on the busiest day</span>
        <span class="push">{days.at(-1)?.day}</span>
      </figcaption>
    </figure>
  )
}

export function Usage() {
  const { got, told, again } = useAsked<Used>('/usage')
  const [names, name] = useState(new Map<string, string>())
  useEffect(() => {
    get<{ data: Key[] }>('/keys')
      .then((k) => name(new Map(k.data.map((one) => [one.id, one.name]))))
      .catch(() => {})
    const t = setInterval(() => {
      if (!document.hidden) void again()
    }, 5000)
    return () => clearInterval(t)
  }, [])
  if (!got) return <Said told={told} />
  const called = (id: string) =>
    id === 'session'
      ? 'workbench'
      : (names.get(id) ?? got.keys.find((k) => k.id === id)?.name ?? id)
  const refused = (d: Used['days'][number]) => Object.values(d.refusals).reduce((a, b) => a + b, 0)
  const last: OneDay[] = []
  for (let i = 29; i >= 0; i--) {
    const at = day(Date.now() - i * DAY)
    const on = got.days.filter((d) => d.day === at)
    last.push({
      day: at,
      requests: on.reduce((n, d) => n + d.requests - refused(d), 0),
      refused: on.reduce((n, d) => n + refused(d), 0),
    })
  }
  const limits = got.limits
  return (
    <>
      <h2>
        Usage <small>plan {sentence(got.plan)}; the limits are each key’s own</small>
      </h2>
      <Said told={told} />
      <dl class="nums">
        <div>
          <dt>requests a minute</dt>
          <dd>{limited(limits.requests_per_minute)}</dd>
        </div>
        <div>
          <dt>requests a day</dt>
          <dd>{limited(limits.requests_per_day)}</dd>
        </div>
        <div>
          <dt>bulk points a day</dt>
          <dd>{limited(limits.bulk_points_per_day)}</dd>
        </div>
        <div>
          <dt>reads back to</dt>
          <dd>
            {got.earliest ?? 'the beginning'}
            <small>
              {limits.history_days
                ? counted(limits.history_days, 'day') + ' of history'
                : 'all history'}
            </small>
          </dd>
        </div>
      </dl>
      <section>
        <h2>
          Now <small>the minute and the day that run, UTC</small>
        </h2>
        <div class="wrapx" tabIndex={0} role="region" aria-label="Used now">
          <table class="list now">
            <thead>
              <tr>
                <th>key</th>
                <th>minute</th>
                <th>day</th>
                <th>bulk points</th>
              </tr>
            </thead>
            <tbody>
              {got.keys.map((k) => (
                <tr key={k.id}>
                  <td class="words">{called(k.id)}</td>
                  <td>
                    <Share used={k.minute.used} of={limits.requests_per_minute} />
                  </td>
                  <td>
                    <Share used={k.day.used} of={limits.requests_per_day} />
                  </td>
                  <td>
                    <Share used={k.bulk.used} of={limits.bulk_points_per_day} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <section>
        <h2>
          The last 30 days{' '}
          <small>
            <span class="sw-m" /> answered <span class="sw-l" /> refused; what asks for the usage
            itself is among them, and counts against no limit
          </small>
        </h2>
        <Chart days={last} />
        {got.days.length === 0 ? (
          <p class="q pad">Nothing was asked yet.</p>
        ) : (
          <div class="scroll" tabIndex={0} role="region" aria-label="The last 30 days by key">
            <table>
              <thead>
                <tr>
                  <th>day, UTC</th>
                  <th>key</th>
                  <th class="n">requests</th>
                  <th class="n">refused</th>
                  <th class="n wide">bulk points</th>
                  <th class="n">backtests</th>
                </tr>
              </thead>
              <tbody>
                {got.days.map((d) => (
                  <tr key={d.day + d.key}>
                    <td>{d.day}</td>
                    <td class="words">{called(d.key)}</td>
                    <td class="n">{count(d.requests)}</td>
                    <td class="n">
                      {refused(d) === 0
                        ? '0'
                        : Object.entries(d.refusals)
                            .map(([code, n]) => `${count(n)} ${code.replaceAll('_', ' ')}`)
                            .join(', ')}
                    </td>
                    <td class="n wide">{count(d.bulk_points)}</td>
                    <td class="n">{count(d.backtests)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
    </>
  )
}

const means: Record<Role, string> = {
  owner: 'everything',
  member: 'own keys, backtests',
  viewer: 'reads',
}

const RoleSelect = ({
  value,
  label,
  change,
}: {
  value?: Role
  label: string
  change?: (r: Role) => void
}) => (
  <select
    name="role"
    aria-label={label}
    value={value}
    onChange={(e) => change?.(e.currentTarget.value as Role)}
  >
    {[...roles].reverse().map((r) => (
      <option key={r} value={r} selected={r === (value ?? 'member')}>
        {r}
      </option>
    ))}
  </select>
)

function Invitations({ log, open }: { log: boolean; open: boolean }) {
  const { got, told, again } = useAsked<{ data: Invitation[] }>('/organization/invitations')
  return (
    <section>
      <h2>
        Invitations <small>a link that works for seven days</small>
      </h2>
      {open ? (
        <Form
          button="Invite"
          send={async (f) => {
            await send('POST', '/organization/invitations', { email: f.email, role: f.role })
            await again()
            return log ? 'The invitation is in the server’s log.' : 'Sent.'
          }}
        >
          <Field label="Email address" name="email" type="email" autocomplete="off" required />
          <label class="field">
            <span>Role</span>
            <RoleSelect label="Role" />
          </label>
        </Form>
      ) : (
        <p class="q pad">Verify your address to invite others.</p>
      )}
      <Said told={told} />
      {got && got.data.length > 0 && (
        <div class="wrapx" tabIndex={0} role="region" aria-label="Invitations">
          <table class="list">
            <thead>
              <tr>
                <th>address</th>
                <th>role</th>
                <th class="wide">sent</th>
                <th>ends</th>
                <th>
                  <span class="sr">withdraw</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {got.data.map((i) => (
                <tr key={i.id}>
                  <td class="words">{i.email}</td>
                  <td>{i.role}</td>
                  <td class="wide">{day(i.created_at)}</td>
                  <td>{day(i.ends_at)}</td>
                  <td class="n">
                    <Sure
                      name="Withdraw"
                      sure="Withdraw it"
                      about={i.email}
                      act={() =>
                        send(
                          'DELETE',
                          '/organization/invitations/' + encodeURIComponent(i.id),
                        ).then(again)
                      }
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

export function Members({
  me,
  name,
  again: know,
  log,
}: {
  me: Person
  name: string
  again: () => Promise<void>
  log: boolean
}) {
  const { got, told, again } = useAsked<{ data: Member[] }>('/organization/members')
  const [last, tell] = useState<Told>()
  const owner = may(me.role, 'owner')
  const change = async (m: Member, role: Role) => {
    try {
      await send('POST', '/organization/members/' + encodeURIComponent(m.id), { role })
      tell({ bad: false, text: `${m.email} is ${role} now: ${means[role]}.` })
    } catch (err) {
      tell(wrong(err))
    }
    await Promise.all([again(), know()])
  }
  const remove = async (m: Member) => {
    await send('DELETE', '/organization/members/' + encodeURIComponent(m.id))
    if (m.id === me.id) return location.assign('/account')
    await again()
  }
  return (
    <>
      <h2>
        Members{' '}
        <small>
          owner: {means.owner} · member: {means.member} · viewer: {means.viewer}
        </small>
      </h2>
      <Said told={last ?? told} />
      <div class="wrapx" tabIndex={0} role="region" aria-label="Members">
        <table class="list">
          <thead>
            <tr>
              <th>address</th>
              <th>role</th>
              <th class="wide">since</th>
              <th>
                <span class="sr">remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {got?.data.map((m) => (
              <tr key={m.id + m.role}>
                <td class="words">{m.email}</td>
                <td>
                  {owner ? (
                    <RoleSelect
                      label={'Role of ' + m.email}
                      value={m.role}
                      change={(r) => void change(m, r)}
                    />
                  ) : (
                    m.role
                  )}
                </td>
                <td class="wide">{day(m.since)}</td>
                <td class="n">
                  {(owner || m.id === me.id) && got.data.length > 1 && (
                    <Sure
                      name={m.id === me.id ? 'Leave' : 'Remove'}
                      sure={m.id === me.id ? 'Leave it' : 'Remove for good'}
                      about={m.email}
                      act={() => remove(m)}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {owner && (
        <>
          <Invitations log={log} open={me.verified} />
          <section>
            <h2>Name of the organization</h2>
            <Form
              button="Rename"
              send={async (f) => {
                await send('POST', '/organization', { name: f.name })
                location.reload()
              }}
            >
              <Field
                label="Name"
                name="name"
                defaultValue={name}
                required
                maxLength={80}
                autocomplete="organization"
              />
            </Form>
          </section>
        </>
      )}
    </>
  )
}

export function Audit() {
  const [list, put] = useState<Entry[]>()
  const [next, more] = useState<string | null>(null)
  const [told, tell] = useState<Told>()
  const asked = useRef(0)
  const ask = (before?: string, mine = ++asked.current) =>
    void get<{ data: Entry[]; next: string | null }>(
      '/audit' + (before ? '?before=' + encodeURIComponent(before) : ''),
    )
      .then((page) => {
        if (mine === asked.current) {
          put((l) => (before ? [...(l ?? []), ...page.data] : page.data))
          more(page.next)
          tell(undefined)
        }
      })
      .catch((err: unknown) => mine === asked.current && tell(wrong(err)))
  useEffect(() => ask(), [])
  return (
    <>
      <h2>
        Audit <small>what was done in the organization, kept for a year</small>
      </h2>
      <Said told={told} />
      <div class="wrapx" tabIndex={0} role="region" aria-label="Audit">
        <table class="list">
          <thead>
            <tr>
              <th>when, UTC</th>
              <th>who</th>
              <th>did</th>
              <th>what</th>
              <th class="wide">network</th>
            </tr>
          </thead>
          <tbody>
            {list?.map((e) => (
              <tr key={e.id}>
                <td class="when">{clock(e.at)}</td>
                <td class="words">{e.who ?? NONE}</td>
                <td>{e.action}</td>
                <td class="words">{e.what}</td>
                <td class="wide">{e.network || NONE}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {next && (
        <p class="pad">
          <button onClick={() => ask(next)}>Older</button>
        </p>
      )}
    </>
  )
}
