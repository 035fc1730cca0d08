// A word with its explanation, for a pointer, a finger and a keyboard.
import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'

export function Hint({ help, children }: { help: string; children: ComponentChildren }) {
  const id = useId()
  const [open, show] = useState(false)
  return (
    <span
      class="hint"
      onPointerEnter={(e) => e.pointerType === 'mouse' && show(true)}
      onPointerLeave={(e) => e.pointerType === 'mouse' && show(false)}
    >
      <button
        type="button"
        aria-describedby={open ? id : undefined}
        aria-expanded={open}
        onClick={() => show(true)}
        onFocus={() => show(true)}
        onBlur={() => show(false)}
        onKeyDown={(e) => {
          if (e.key !== 'Escape' || !open) return
          e.stopPropagation()
          show(false)
        }}
      >
        {children}
      </button>
      {open && (
        <span role="tooltip" id={id}>
          {help}
        </span>
      )}
    </span>
  )
}
