// Addresses of the page. Nothing secret stands in one: a run's id, never its sentence.
import { useLayoutEffect, useState } from 'preact/hooks'

const listeners = new Set<() => void>()
const tell = () => listeners.forEach((f) => f())
addEventListener('popstate', tell)

export function go(path: string): void {
  if (path === location.pathname + location.search) return
  history.pushState(null, '', path)
  scrollTo(0, 0)
  tell()
}

export function replace(path: string): void {
  history.replaceState(null, '', path)
  tell()
}

export function useAddress(): URL {
  const [url, put] = useState(() => new URL(location.href))
  useLayoutEffect(() => {
    const f = () => put((was) => (was.href === location.href ? was : new URL(location.href)))
    listeners.add(f)
    f() // what was drawn below may have led elsewhere already
    return () => void listeners.delete(f)
  }, [])
  return url
}

/** Links within the page do not load it again. */
addEventListener('click', (e) => {
  const a = (e.target as Element | null)?.closest?.('a[href]') as HTMLAnchorElement | null
  if (
    !a ||
    e.defaultPrevented ||
    e.button !== 0 ||
    e.metaKey ||
    e.ctrlKey ||
    e.shiftKey ||
    e.altKey
  )
    return
  const href = a.getAttribute('href')!
  if (
    !href.startsWith('/') ||
    a.target ||
    a.download ||
    href.startsWith('/docs') ||
    href.startsWith('/openapi')
  )
    return
  e.preventDefault()
  go(href)
})
