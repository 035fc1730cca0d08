// The keys of the page.
import { useLayoutEffect, useRef } from 'preact/hooks'

/** useKeydown hears every key from when the screen is drawn, and knows what was drawn last. What a dialog hides hears none. */
export function useKeydown(hear: (e: KeyboardEvent) => void): void {
  const newest = useRef(hear)
  newest.current = hear
  useLayoutEffect(() => {
    const down = (e: KeyboardEvent) => {
      if (!document.querySelector('dialog[open]')) newest.current(e)
    }
    addEventListener('keydown', down)
    return () => removeEventListener('keydown', down)
  }, [])
}
