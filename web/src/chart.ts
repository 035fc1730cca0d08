// What the pictures share: colours, round numbers, and how wide they are.
import { useCallback, useRef, useState } from 'preact/hooks'
import { signed } from './text'

/** css reads a colour of the style sheet, as it is now. */
export function css(name: string): string {
  const probe = document.createElement('i')
  probe.style.color = `var(--${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** onScheme calls back when the page turns light or dark. */
export function onScheme(f: () => void): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  dark.addEventListener('change', f)
  addEventListener('theme', f)
  return () => {
    dark.removeEventListener('change', f)
    removeEventListener('theme', f)
  }
}

/** letters is about how wide a number is in the pictures' letters, in pixels. */
export const letters = (text: string, u: number) =>
  [...text].reduce((w, c) => w + (c === ',' || c === '.' ? 3.4 : 7), 0) * u

/** steps are round numbers over a range, about so many. */
export function steps(low: number, high: number, about: number): number[] {
  const rough = (high - low) / about || 1
  const size = 10 ** Math.floor(Math.log10(rough))
  const by = [1, 2, 5, 10].map((m) => m * size).find((s) => s >= rough) ?? size * 10
  const out = []
  for (let x = Math.ceil(low / by - 1e-9); x * by <= high + 1e-9; x++)
    out.push(Number((x * by).toPrecision(12)))
  return out
}

export const short = (x: number) => signed(x, Math.abs(x) < 1 && x !== 0 ? 2 : 0)

/** within keeps a text that is centred on x inside of a picture. */
export function within(x: number, text: string, width: number, u: number, left = 0): number {
  const half = letters(text, u) * 0.62 + 3 * u // those in bold are a quarter wider
  return Math.max(left + half, Math.min(width - half, x))
}

/** useWidth measures an element, in pixels, and its letters, in those of the page at its own size: pictures grow with their text. The element may come and go. */
export function useWidth(otherwise: number): [(el: HTMLDivElement | null) => void, number, number] {
  const sizes = useRef<ResizeObserver | undefined>(undefined)
  const [size, put] = useState<[number, number]>([otherwise, 1])
  const box = useCallback((el: HTMLDivElement | null) => {
    sizes.current?.disconnect()
    if (!el) return
    // First told before the picture is painted, when the page is laid out anyway.
    sizes.current = new ResizeObserver(() => {
      const now: [number, number] = [el.clientWidth, scaleOf(el)]
      if (now[0] > 0) put((was) => (was[0] === now[0] && was[1] === now[1] ? was : now))
    })
    sizes.current.observe(el)
  }, [])
  return [box, ...size]
}

/** scaleOf is how much larger than by itself the text of an element is. */
export const scaleOf = (el: Element) => parseFloat(getComputedStyle(el).fontSize) / 14
