import type { ReactNode } from 'react'
import type { ActOutcome } from '../../../../schema/api/support-acts.ts'
import { outcomeText } from '../../../content/support/acts.ts'
import { formatCredits } from '../../format.ts'
import { CopyId } from '../CopyId.tsx'
import { counted, sentenceCase } from '../labels.ts'
import { changesOf } from './outcome.ts'

export function Changes({ kind, outcome }: { kind: string; outcome: ActOutcome }) {
  const changes = changesOf(outcome)
  const { erasure } = outcome
  // What is done at Stripe or Clerk alone changes no row of ours.
  if (changes.length === 0 && !erasure)
    return outcome.changed ? <p className="text-sm">{outcomeText(kind, outcome)}</p> : null
  return (
    <div className="space-y-3">
      {erasure && outcome.changed && <Erasure {...erasure} />}
      {changes.length > 0 && (
        <dl className="divide-y divide-line rounded-control border text-sm">
          {changes.map(({ what, change, note }) => (
            <div
              key={`${what} ${change} ${note}`}
              className="flex flex-wrap items-baseline gap-x-3 px-3 py-1.5"
            >
              <dt className="w-32 shrink-0 text-muted">{what}</dt>
              <dd className="min-w-0 flex-1 font-medium tabular-nums">
                {change}
                {note && (
                  <span className="block font-normal text-faint text-xs [overflow-wrap:anywhere]">
                    {note}
                  </span>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}

/** What an erasure removes, what the books keep, and what is left to do at Stripe. */
function Erasure({ removed, customers, credits }: NonNullable<ActOutcome['erasure']>) {
  return (
    <dl className="divide-y divide-line rounded-control border text-sm">
      <Part name="Goes">
        <ul className="space-y-1">
          {Object.entries(removed).map(
            ([what, rows]) =>
              rows > 0 && (
                <li key={what} className="flex justify-between gap-4">
                  <span>{names[what] ?? sentenceCase(what)}</span>
                  <span className="shrink-0 text-muted tabular-nums">{counted(rows, 'row')}</span>
                </li>
              ),
          )}
        </ul>
      </Part>
      <Part name="Stays">
        Payments{credits > 0 && ` and ${formatCredits(credits)} credits, which cannot be used any more`}, in
        the books under an id that leads to no person
      </Part>
      <Part name="Left to do">
        {customers.length === 0 ? (
          'Nothing: they are no customer at Stripe'
        ) : (
          <>
            Redact at Stripe once the last payment is 90 days old:
            <ul>
              {customers.map((customer) => (
                <li key={customer}>
                  <CopyId id={customer} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Part>
    </dl>
  )
}

const names: Readonly<Record<string, string>> = {
  profile: 'Name and address, and the account at Clerk',
  tokens: 'Sign-ins of editors',
  answers: 'Stored answers',
  seats: 'Addresses of seats',
  invitations: 'Addresses of invitations',
  texts: 'Descriptions, notes and reasons',
  payloads: 'Payloads of events',
  tries: 'Errors of failed tries',
}

function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-3 gap-y-1 px-3 py-2">
      <dt className="w-24 shrink-0 text-muted">{name}</dt>
      <dd className="min-w-0 flex-1 basis-56 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  )
}
