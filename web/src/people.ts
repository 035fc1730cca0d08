// The routes of accounts, below /app, and what they answer.
import { json, type Session } from './api'

export type Role = 'owner' | 'member' | 'viewer'
export const roles: Role[] = ['owner', 'member', 'viewer']

export interface Account {
  id: string
  email: string
  verified: boolean
  password: boolean
  identities: { issuer: string; created_at: string }[]
  created_at: string
  organization: string
  role: Role
  organizations: { id: string; name: string; plan: string; role: Role }[]
}

export interface Key {
  id: string
  name: string
  plan: string
  made_by: string | null
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
  state: 'live' | 'expired' | 'revoked'
}

type Limit = number | null

export interface Usage {
  plan: string
  limits: {
    requests_per_minute: Limit
    requests_per_day: Limit
    bulk_points_per_day: Limit
    history_days: Limit
  }
  earliest: string | null
  keys: {
    id: string
    name: string
    minute: { used: number }
    day: { used: number }
    bulk: { used: number }
  }[]
  days: {
    key: string
    day: string
    requests: number
    refusals: Record<string, number>
    bulk_points: number
    backtests: number
  }[]
}

/** AgentRow is an agent that acts for the account. */
export interface AgentRow {
  id: string
  client: string
  name: string
  scopes: string[]
  organization: string
  created_at: string
  used_at: string
}

export interface SessionRow {
  id: string
  current: boolean
  created_at: string
  seen_at: string
  ends_at: string
  agent: string
  network: string
}
export interface Member {
  id: string
  email: string
  role: Role
  since: string
}
export interface Invitation {
  id: string
  email: string
  role: Role
  created_at: string
  ends_at: string
}
export interface Entry {
  id: string
  at: string
  who: string | null
  action: string
  what: string
  network: string
}
export interface Options {
  accounts: boolean
  registration: boolean
  mail: 'smtp' | 'log'
  providers: { id: string; name: string }[]
}

export const get = <T>(path: string) => json<T>('/app' + path)
/** send changes something. A wrong password is no end of the session. */
export const send = <T = undefined>(method: 'POST' | 'DELETE', path: string, body?: object) =>
  json<T>('/app' + path, {
    method,
    body: body ?? (method === 'POST' ? {} : undefined),
    proof: true,
  })

/** may reports whether a role allows what takes the other at least. */
export const may = (role: Role, least: Role) => roles.indexOf(role) <= roles.indexOf(least)

export type { Session }
