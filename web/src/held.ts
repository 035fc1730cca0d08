// What of the archive is simulated.
import { call, type Archive } from './api'

export interface Simulated {
  names: string[] // of the categories with simulated data
  all: boolean // there are no others
}

/** simulatedIn asks the archive, whose refusal ends no session. */
export async function simulatedIn(): Promise<Simulated> {
  const { data } = await call<Archive>('/archive', { proof: true })
  const names = data.filter((c) => c.simulated).map((c) => c.category)
  return { names, all: names.length === data.length }
}
