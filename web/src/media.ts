// What the window is like.
import { useLayoutEffect, useState } from 'preact/hooks'

/** useMedia tells whether a media query holds, and goes on telling. */
export function useMedia(query: string): boolean {
  const [holds, put] = useState(() => matchMedia(query).matches)
  useLayoutEffect(() => {
    const list = matchMedia(query)
    const look = () => put(list.matches)
    look()
    list.addEventListener('change', look)
    return () => list.removeEventListener('change', look)
  }, [query])
  return holds
}
