import { plans } from '../../../schema/catalogue/plans.ts'

const people = [
  { name: 'Ada', initials: 'AL', used: 412 },
  { name: 'Grace', initials: 'GH', used: 286 },
  { name: 'Linus', initials: 'LT', used: 731 },
  { name: 'Margaret', initials: 'MH', used: 95 },
]
const seats = 5
const pool = seats * plans.teams.credits_per_seat
const used = people.reduce((sum, person) => sum + person.used, 0)

/** A drawn organization: its pool, who used how much of it, and a seat that is still free. */
export function PoolIllustration() {
  return (
    <div
      role="img"
      aria-label={`An organization with ${people.length} of ${seats} seats in use and ${pool - used} of ${pool} credits left this month`}
      className="rounded-2xl border bg-surface p-6 shadow-float sm:p-7"
    >
      <div className="flex items-baseline justify-between gap-4">
        <p className="text-muted text-sm">Credits left this month</p>
        <p className="text-faint text-sm tabular-nums">
          {people.length} of {seats} seats
        </p>
      </div>
      <p className="mt-1 font-semibold text-3xl tabular-nums">
        {pool - used}
        <span className="ml-2 font-normal text-base text-faint tracking-normal">of {pool}</span>
      </p>
      <div className="mt-5 flex h-2.5 gap-0.5 overflow-hidden rounded-full bg-sunken">
        {people.map(({ name, used }, index) => (
          <span
            key={name}
            className="bg-accent"
            style={{ width: `${(used / pool) * 100}%`, opacity: 1 - index * 0.2 }}
          />
        ))}
      </div>
      <ul className="mt-6 divide-y divide-line border-t">
        {people.map(({ name, initials, used }) => (
          <li key={name} className="flex items-center gap-3 py-3 text-sm">
            <span className="grid size-8 place-items-center rounded-full bg-accent-soft font-semibold text-accent-text text-xs">
              {initials}
            </span>
            <span className="font-medium">{name}</span>
            <span className="ml-auto text-muted tabular-nums">−{used}</span>
          </li>
        ))}
        <li className="flex items-center gap-3 pt-3 text-sm">
          <span className="size-8 rounded-full border border-line-strong border-dashed" />
          <span className="text-muted">A free seat</span>
          <span className="ml-auto font-medium text-accent-text">Invite</span>
        </li>
      </ul>
    </div>
  )
}
