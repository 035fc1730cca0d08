// The page that takes a key.
import { useEffect, useState } from 'preact/hooks'
import { Refused, signIn } from './api'

export function Brand() {
  return (
    <a class="brand" href="/">
      <svg viewBox="0 0 16 20" aria-hidden="true">
        <path d="M3 1v18M13 1v18M3 5h10M3 9.5h10M3 14h10" />
      </svg>
      Ladderback
    </a>
  )
}

/** SignIn takes a key once; the server keeps the session in a cookie. */
export function SignIn({ done, said }: { done: () => Promise<void>; said: string }) {
  const [problem, put] = useState('')
  const [busy, work] = useState(false)
  const submit = async (e: Event) => {
    e.preventDefault()
    const field = (e.currentTarget as HTMLFormElement).elements.namedItem('key') as HTMLInputElement
    const key = field.value.trim()
    if (!key) return
    work(true)
    try {
      await signIn({ key })
      field.value = ''
      await done()
    } catch (err) {
      put(err instanceof Refused ? err.message : String(err))
    }
    work(false)
  }
  useEffect(() => {
    document.title = 'Sign in · Ladderback'
  }, [])
  return (
    <main class="signin">
      <Brand />
      <h1>Sign in</h1>
      <p>
        With an API key. It is sent once and kept nowhere on this page.{' '}
        <code>ladderback serve --local-key</code> prints one, and a link that needs none.
      </p>
      <form onSubmit={(e) => void submit(e)}>
        <label for="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          autocomplete="off"
          spellcheck={false}
          placeholder="lb_…"
          aria-describedby="keyproblem"
        />
        <button class="run" disabled={busy}>
          <span>Sign in</span>
        </button>
        <p id="keyproblem" class="loss" role="alert">
          {problem || said}
        </p>
      </form>
    </main>
  )
}
