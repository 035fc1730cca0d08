// Running text in which amounts, dates and flags are never parted at the end of a line.
import type { JSX } from 'preact'

/** prose keeps every amount, date and flag of a text on one line. */
export const prose = (text: string): (string | JSX.Element)[] =>
  text.split(/([+−-]?\$\d[\d,]*(?:\.\d+)?|\d{4}-\d\d-\d\d|--[a-z][a-z-]*)/).map((part, i) =>
    i % 2 ? (
      <span key={i} class="nb">
        {part}
      </span>
    ) : (
      part
    ),
  )
