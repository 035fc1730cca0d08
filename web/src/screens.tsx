// The screens and their addresses. A screen that is not listed here has no link to it.
import type { JSX } from 'preact'
import type { Session } from './api'
import { later } from './later'
import { Runs } from './runs'
import { Shared } from './shared'
import { Workbench } from './workbench'

const Archive = later('Archive', () => import('./archive').then((m) => m.Archive))
const Markets = later('Markets', () => import('./markets').then((m) => m.Markets))
const OneMarket = later('Market', () => import('./market').then((m) => m.OneMarket))
const Neighbours = later('Neighbours', () => import('./neighbours').then((m) => m.Neighbours))
const Compare = later('Compare', () => import('./compare').then((m) => m.Compare))
const Account = later('Account', () => import('./account').then((m) => m.Account))

export interface Screen {
  name: string
  letter: string // after G; empty: none
  path: string
  is: (path: string) => boolean
  account?: boolean // is for who is signed in with an account
  open?: boolean // needs no session, stands alone, and has no link to it
  show: (url: URL) => JSX.Element
}

const part = (url: URL, n: number) => decodeURIComponent(url.pathname.split('/')[n] ?? '')

export const screens: Screen[] = [
  {
    name: 'Workbench',
    letter: 'W',
    path: '/',
    is: (p) => p === '/' || /^\/runs\/[^/]+(\/neighbours)?$/.test(p),
    show: (url) =>
      part(url, 3) ? (
        <Neighbours
          key={part(url, 2)}
          id={part(url, 2)}
          sweep={url.searchParams.get('sweep') ?? ''}
        />
      ) : (
        <Workbench id={part(url, 2)} />
      ),
  },
  {
    name: 'Runs',
    letter: 'R',
    path: '/runs',
    is: (p) => p === '/runs' || /^\/runs\/[^/]+\/compare\/[^/]+$/.test(p),
    show: (url) =>
      url.pathname === '/runs' ? (
        <Runs key={url.search} search={url.searchParams} />
      ) : (
        <Compare a={part(url, 2)} b={part(url, 4)} />
      ),
  },
  {
    name: 'Markets',
    letter: 'M',
    path: '/markets',
    is: (p) => /^\/markets(\/[^/]+)?$/.test(p),
    show: (url) =>
      url.pathname === '/markets' ? (
        <Markets />
      ) : (
        <OneMarket id={part(url, 2)} from={url.searchParams} />
      ),
  },
  {
    name: 'Archive',
    letter: 'A',
    path: '/archive',
    is: (p) => p === '/archive',
    show: () => <Archive />,
  },
  {
    name: 'Account',
    letter: 'U',
    path: '/account',
    is: (p) => /^\/account(\/[^/]+)?$/.test(p),
    account: true,
    show: (url) => <Account path={url.pathname} />,
  },
]

/** screensOf lists the screens that somebody has. */
export const screensOf = (who: Session): Screen[] =>
  screens.filter((s) => !s.account || who.account)

export const shared: Screen = {
  name: 'Shared run',
  letter: '',
  path: '/r/',
  is: (p) => /^\/r\/[^/]+$/.test(p),
  open: true,
  show: (url) => <Shared token={part(url, 2)} />,
}
