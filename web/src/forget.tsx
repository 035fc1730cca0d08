// A run is forgotten after one more question, of the page itself.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export function Forget({ forget }: { forget: () => void }) {
  const [asked, ask] = useState(false)
  return (
    <>
      <button class="bare q" onClick={() => ask(true)}>
        Forget
      </button>
      {asked && <Question keep={() => ask(false)} forget={forget} />}
    </>
  )
}

function Question({ keep, forget }: { keep: () => void; forget: () => void }) {
  const box = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = box.current!
    dialog.showModal()
    return () => dialog.close()
  }, [])
  return (
    <dialog
      ref={box}
      class="sheetbox ask"
      aria-labelledby="forget"
      onCancel={(e) => {
        e.preventDefault()
        keep()
      }}
      onKeyDown={(e) => e.stopPropagation()}
    >
      <h2 id="forget">Forget this run?</h2>
      <p>Its result and its link go for good. The sentence stays where it stands.</p>
      <p class="acts">
        <button onClick={keep}>Keep it</button>
        <button
          class="loss"
          onClick={() => {
            keep()
            forget()
          }}
        >
          Forget for good
        </button>
      </p>
    </dialog>
  )
}
