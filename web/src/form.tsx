// The parts of the account's pages: forms that send their fields once, what came of
// them, and lists that are asked for again.
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Refused } from './api'
import { get } from './people'
import { sentence } from './text'

/** Told is what went wrong, or right, under a form. */
export type Told = { bad: boolean; text: string } | undefined

export const wrong = (err: unknown): Told => ({
  bad: true,
  text:
    err instanceof Refused
      ? sentence(err.message) + (err.retryAfter ? ` Again in ${err.retryAfter} s.` : '')
      : String(err),
})

export const Said = ({ told }: { told: Told }) => (
  <p class={'told ' + (told?.bad ? 'loss' : 'q')} role={told?.bad ? 'alert' : 'status'}>
    {told?.text}
  </p>
)

/** useAsked asks a route once, and again when it is told to; an answer to an earlier question never takes the place of a later one. */
export function useAsked<T>(path: string): {
  got: T | undefined
  told: Told
  again: () => Promise<void>
} {
  const [got, put] = useState<T>()
  const [told, tell] = useState<Told>()
  const asked = useRef(0)
  const again = async () => {
    const mine = ++asked.current
    try {
      const answer = await get<T>(path)
      if (mine !== asked.current) return
      put(answer)
      tell(undefined)
    } catch (err) {
      if (mine === asked.current) tell(wrong(err))
    }
  }
  useEffect(() => void again(), [path])
  return { got, told, again }
}

/** Form sends its fields by name, once at a time. What send returns is said below it. */
export function Form({
  send,
  button,
  children,
  kind = '',
  danger = false,
}: {
  send: (f: Record<string, string>) => Promise<string | void>
  button: string
  children?: ComponentChildren
  kind?: string
  danger?: boolean
}) {
  const [busy, work] = useState(false)
  const [told, tell] = useState<Told>()
  const submit = async (e: Event) => {
    e.preventDefault()
    if (busy) return
    const form = e.currentTarget as HTMLFormElement
    work(true)
    tell(undefined)
    try {
      const fields = Object.fromEntries([...new FormData(form)].map(([k, v]) => [k, String(v)]))
      const text = await send(fields)
      for (const i of form.querySelectorAll('input')) {
        if (i.type === 'checkbox') i.checked = false
        else if (i.value === fields[i.name]) i.value = i.defaultValue // what was typed in the meantime stays
      }
      tell(text ? { bad: false, text } : undefined)
    } catch (err) {
      tell(wrong(err))
    }
    work(false)
  }
  return (
    <form class={'line ' + kind} onSubmit={(e) => void submit(e)}>
      {children}
      <button class={danger ? 'loss' : 'strong'} aria-disabled={busy}>
        {button}
      </button>
      <Said told={told} />
    </form>
  )
}

export function Field({ label, ...rest }: { label: string } & JSX.IntrinsicElements['input']) {
  return (
    <label class="field">
      <span>{label}</span>
      <input {...rest} />
    </label>
  )
}

/** Sure is a button that asks once more before it does what cannot be undone. */
export function Sure({
  name,
  sure,
  about,
  act,
}: {
  name: string
  sure: string
  about: string
  act: () => Promise<unknown>
}) {
  const [asked, ask] = useState(false)
  const [told, tell] = useState<Told>()
  const button = useRef<HTMLButtonElement>(null)
  const busy = useRef(false)
  const was = useRef(false)
  useLayoutEffect(() => {
    if (asked || was.current) button.current?.focus()
    was.current = asked
  }, [asked])
  const doIt = () => {
    if (busy.current) return
    busy.current = true
    tell(undefined)
    void act()
      .then(() => ask(false))
      .catch((err: unknown) => tell(wrong(err)))
      .finally(() => {
        busy.current = false
      })
  }
  if (!asked)
    return (
      <button ref={button} class="small" aria-label={`${name}: ${about}`} onClick={() => ask(true)}>
        {name}
      </button>
    )
  return (
    <span class="acts">
      {told && <Said told={told} />}
      <button
        class="small loss"
        aria-label={`${sure}: ${about}`}
        ref={button}
        onClick={(e) => e.detail < 2 && doIt()}
      >
        {sure}
      </button>
      <button
        class="small"
        onClick={() => {
          ask(false)
          tell(undefined)
        }}
      >
        Keep
      </button>
    </span>
  )
}
