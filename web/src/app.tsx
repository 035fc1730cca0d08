// Who is signed in, and which screen.
import { useLayoutEffect, useState } from 'preact/hooks'
import { json, onSignedOut, Refused, session, signedIn, signIn, signOut, type Session } from './api'
import { blank, set } from './bench'
import { simulatedIn, type Simulated } from './held'
import { replace, useAddress } from './router'
import { screensOf, shared } from './screens'
import { Shell } from './shell'
import { SignIn } from './signin'

export function App() {
  const url = useAddress()
  const [who, know] = useState<Session | null | undefined>(undefined)
  const [said, say] = useState('')
  const [held, hold] = useState<Simulated>()
  /** away leads to the page of signing in with an account, where the server has accounts. */
  const away = async () => {
    const before = signedIn()
    const accounts =
      location.hash !== '#key' &&
      (await json<{ accounts: boolean }>('/app/options', { proof: true }).catch(() => undefined))
        ?.accounts
    if (before !== signedIn()) return // in the meantime
    if (!accounts) return know(null)
    const back = location.pathname + location.search
    location.replace('/sign-in' + (back === '/' ? '' : '?next=' + encodeURIComponent(back)))
  }
  const begin = async () => {
    const ticket = /^#ticket=(.+)$/.exec(location.hash)
    if (ticket) {
      replace(location.pathname)
      try {
        await signIn({ ticket: decodeURIComponent(ticket[1]!) })
      } catch (err) {
        if (err instanceof Refused) say(err.message)
      }
    }
    // What is simulated is known before anything is drawn: the band moves nothing then. It is
    // asked at once where somebody was signed in the last time.
    const early = localStorage.getItem('in') ? simulatedIn().catch(() => undefined) : undefined
    try {
      const me = await session()
      if (!me) {
        localStorage.removeItem('in')
        return void away()
      }
      localStorage.setItem('in', 'yes')
      const asked = early ?? simulatedIn().catch(() => undefined)
      void asked.then(hold)
      await Promise.race([asked, new Promise((r) => setTimeout(r, 1000))])
      // Nothing can be read before the address is verified: that is said on the account's pages.
      if (me.account?.verified === false && !location.pathname.startsWith('/account'))
        replace('/account/keys')
      know(me)
    } catch (err) {
      if (err instanceof Refused && err.status === 401) return // told already
      if (err instanceof Refused) say(err.message)
      know(null)
    }
  }
  useLayoutEffect(() => {
    onSignedOut(() => void away())
    if (shared.is(location.pathname)) return
    void begin()
    // The session lives on as long as it is used.
    const alive = setInterval(
      () =>
        void session()
          .then((me) => (me ? undefined : away()))
          .catch(() => {}),
      30 * 60_000,
    )
    return () => clearInterval(alive)
  }, [])
  const at = who ? screensOf(who).find((s) => s.is(url.pathname)) : undefined
  const open = shared.is(url.pathname)
  useLayoutEffect(() => {
    if (who !== undefined || open) document.getElementById('skeleton')?.remove()
  }, [who, open])
  if (open) return shared.show(url)
  if (who === undefined) return null
  if (who === null)
    return (
      <SignIn
        said={said}
        done={() => {
          replace(location.pathname)
          return begin()
        }}
      />
    )
  const leave = () =>
    void signOut().finally(() => {
      set(blank)
      who.account ? location.assign('/sign-in') : know(null)
    })
  return (
    <Shell who={who} leave={leave} at={at} held={held}>
      {at ? (
        at.show(url)
      ) : (
        <main id="result" class="page">
          <h1>No such page</h1>
          <p class="lead">
            Nothing is at this address. <a href="/">To the workbench</a>
          </p>
        </main>
      )}
    </Shell>
  )
}
