// Why a request was refused, and what to do about it.
import { useEffect, useState } from 'preact/hooks'
import type { Refused } from './api'

/** Problem says why a request was refused, and what to do about it. */
export function Problem({ problem, until }: { problem: Refused; until: number }) {
  const [, tick] = useState(0)
  useEffect(() => {
    const t = setInterval(() => tick((n) => n + 1), 500)
    return () => clearInterval(t)
  }, [until])
  const left = Math.ceil((until - Date.now()) / 1000)
  const head =
    problem.code === 'plan_required'
      ? 'This plan has no backtests'
      : problem.status === 429
        ? 'Too many requests'
        : problem.status === 503
          ? 'Not available at the moment'
          : problem.status === 0
            ? 'The server does not answer'
            : problem.status === 401
              ? 'Signed out'
              : 'Refused'
  return (
    <div class="problem" role="alert">
      <b>{head}.</b>{' '}
      {problem.status === 0
        ? 'Is it still running? What you have typed stays here.'
        : problem.message}
      {left > 0 && <span class="num"> Again in {left} s.</span>}
    </div>
  )
}
