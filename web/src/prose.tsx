// Running text in which an amount is never parted from its sign at the end of a line.
import type { JSX } from 'preact'

/** prose keeps every amount of a text on one line. */
export const prose = (text: string): (string | JSX.Element)[] =>
  text.split(/([+−-]?\$\d[\d,]*(?:\.\d+)?)/).map((part, i) => (i % 2 ? <span key={i} class="nb">{part}</span> : part))
