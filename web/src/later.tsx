// Screens that are loaded when they are opened.
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

type Account = (p: { path: string }) => JSX.Element

export function AccountLater({ path }: { path: string }) {
  const [screen, put] = useState<{ show: Account }>()
  const [problem, fail] = useState(false)
  useEffect(() => {
    import('./account').then((m) => put({ show: m.Account })).catch(() => fail(true))
  }, [])
  if (screen) return <screen.show path={path} />
  return (
    <main id="result" class="page" tabIndex={-1} aria-busy={!problem}>
      <h1>Account</h1>
      {problem && (
        <p role="alert">
          The page could not be loaded.{' '}
          <a href={path} target="_self">
            Load it again
          </a>
        </p>
      )}
    </main>
  )
}
