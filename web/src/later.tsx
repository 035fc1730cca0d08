// Screens that are loaded when they are opened.
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

type Component<P> = (p: P) => JSX.Element

/** later is a screen whose script comes when it is first shown. */
export function later<P extends object>(
  name: string,
  load: () => Promise<Component<P>>,
): Component<P> {
  let known: Component<P> | undefined
  return function Later(p: P) {
    const [, came] = useState(false)
    const [problem, fail] = useState(false)
    useEffect(() => {
      if (known) return
      load()
        .then((one) => {
          known = one
          came(true)
        })
        .catch(() => fail(true))
    }, [])
    if (known) {
      const Known = known
      return <Known {...p} />
    }
    return (
      <main id="result" class="page" tabIndex={-1} aria-busy={!problem}>
        <h1>{name}</h1>
        {problem && (
          <p role="alert">
            The page could not be loaded.{' '}
            <a href={location.href} target="_self">
              Load it again
            </a>
          </p>
        )}
      </main>
    )
  }
}
