// Which numbers of a sentence are varied, how far apart, and how many.
import { plain } from './strategy'
import { stepOf, valuesOf, valueWords, type Place } from './places'

export interface Axis {
  field: string
  step: string
  count: number
}

export function Choose({
  label,
  places,
  axis,
  other,
  put,
}: {
  label: string
  places: readonly Place[]
  axis: Axis
  other: string
  put: (a: Axis) => void
}) {
  const p = places.find((x) => x.field === axis.field)!
  const unit = { price: 'USD', seconds: 's', usd: 'USD', number: '' }[p.unit]
  const values = valuesOf(p, Number(axis.step), axis.count)
  return (
    <fieldset>
      <legend class="lab">{label}</legend>
      <select
        aria-label={label}
        value={axis.field}
        onChange={(e) => {
          const to = places.find((x) => x.field === e.currentTarget.value)!
          put({ ...axis, field: to.field, step: plain(stepOf(to)) })
        }}
      >
        {places
          .filter((x) => x.field !== other)
          .map((x) => (
            <option key={x.field} value={x.field}>
              {x.name}
            </option>
          ))}
      </select>
      <label>
        by{' '}
        <input
          type="text"
          inputMode="decimal"
          class="short"
          aria-label={`Step ${label}${unit && ', ' + unit}`}
          value={axis.step}
          onChange={(e) => {
            const v = Number(e.currentTarget.value)
            put({ ...axis, step: v > 0 ? plain(v) : plain(stepOf(p)) })
          }}
        />{' '}
        {unit}
      </label>
      <select
        aria-label={`Number of values ${label}`}
        value={String(axis.count)}
        onChange={(e) => put({ ...axis, count: Number(e.currentTarget.value) })}
      >
        {[3, 5, 7, 9].map((n) => (
          <option key={n} value={String(n)}>
            {n} values
          </option>
        ))}
      </select>
      <span class="q num">{values.map((v) => valueWords(p.unit, v)).join(' ')}</span>
    </fieldset>
  )
}

/** first chooses what is varied at first: an entry and an exit, where there are such. */
export function first(places: readonly Place[]): [Axis, Axis | undefined] | undefined {
  const down =
    places.find((p) => p.field.endsWith('.threshold') && p.unit !== 'seconds') ?? places[0]
  if (!down) return undefined
  const rest = places.filter((p) => p !== down)
  const across =
    rest.find((p) => p.field.startsWith('exit.') && p.unit === 'price') ??
    rest.find((p) => p.field.startsWith('exit.')) ??
    rest[0]
  const axis = (p: Place): Axis => ({ field: p.field, step: plain(stepOf(p)), count: 5 })
  return [axis(down), across && axis(across)]
}
