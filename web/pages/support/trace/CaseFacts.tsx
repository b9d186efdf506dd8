import { LogOut, RefreshCw, Scale, UserX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import type {
  CaseSummary,
  SupportOwner,
  SupportPerson,
  SupportTrace,
} from '../../../../schema/api/support.ts'
import { formatCredits, formatDate } from '../../../components/format.ts'
import { useAct } from '../../../components/support/acts/useAct.ts'
import { traceAddress } from '../../../components/support/addresses.ts'
import { CopyId } from '../../../components/support/CopyId.tsx'
import { ownerTitle, sentenceCase, type Tone } from '../../../components/support/labels.ts'
import { Moment } from '../../../components/support/Moment.tsx'
import { VendorLinks } from '../../../components/support/VendorLinks.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'

export function CaseActions({ trace, owner }: { trace: SupportTrace; owner: SupportOwner }) {
  const act = useAct()
  const subject = trace.person?.name ?? ownerTitle(owner)
  const targets = [{ kind: owner.kind, id: owner.id }]
  return (
    <div className="flex flex-wrap gap-2">
      <Button variant="secondary" size="small" onClick={() => act({ kind: 'resync', targets, subject })}>
        <RefreshCw aria-hidden="true" />
        Resync
      </Button>
      <Button variant="secondary" size="small" onClick={() => act({ kind: 'adjust', targets, subject })}>
        <Scale aria-hidden="true" />
        Adjust credits
      </Button>
      {owner.kind === 'user' && (
        <>
          <Button
            variant="secondary"
            size="small"
            onClick={() => act({ kind: 'sign_out', targets, subject })}
          >
            <LogOut aria-hidden="true" />
            Sign person out
          </Button>
          <Button
            variant="quietDanger"
            size="small"
            onClick={() => act({ kind: 'forget', targets, subject })}
          >
            <UserX aria-hidden="true" />
            Erase person
          </Button>
        </>
      )}
    </div>
  )
}

const atClerk: Readonly<Record<SupportPerson['at_clerk'], readonly [Tone, string] | null>> = {
  known: null,
  gone: ['neutral', 'Deleted at Clerk'],
  banned: ['critical', 'Banned at Clerk'],
  locked: ['caution', 'Locked at Clerk'],
  unknown: ['caution', 'Clerk does not answer'],
}

const erased = ['neutral', 'Erased'] as const

/** The person, their plan and seats, and their relations. */
export function CaseFacts({ trace: { owner, person, case_summary } }: { trace: SupportTrace }) {
  if (!owner) return null
  const clerk = person && (person.forgotten_at ? erased : atClerk[person.at_clerk])
  const related = owner.kind === 'user' ? 'Member of' : 'Members'
  return (
    <Card aria-label="Customer" className="divide-y divide-line text-sm">
      <div className="px-4 py-3">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {owner.kind === 'user' ? 'Person' : 'Organization'}
          {case_summary?.plan_type.is && (
            <Badge tone="accent">{sentenceCase(case_summary.plan_type.is)}</Badge>
          )}
          {clerk && <Badge tone={clerk[0]}>{clerk[1]}</Badge>}
        </p>
        {person?.email && <p className="mt-1.5 [overflow-wrap:anywhere]">{person.email}</p>}
        <p className="mt-1 flex items-center gap-2">
          <CopyId id={owner.id} />
          {person && <VendorLinks of={owner.id} links={person.links} />}
        </p>
        <Link to={`/support/audit?owner_id=${owner.id}`} className="text-accent-text text-xs hover:underline">
          Audit log of this case
        </Link>
      </div>
      {case_summary && (
        <dl className="space-y-1.5 px-4 py-3">
          <Fact name="Balance">
            <strong className="font-semibold">{formatCredits(case_summary.balance.total.is)}</strong> credits
          </Fact>
          <Spendable {...case_summary.spendable} />
          {case_summary.seats && (
            <Fact name="Seats">
              {case_summary.seats.held} of {case_summary.seats.total} held
              <span className="block text-faint text-xs">
                {case_summary.seats.active} in use, {case_summary.seats.pending} reserved
              </span>
            </Fact>
          )}
          {person?.member_since && <Fact name="Since">{formatDate(person.member_since)}</Fact>}
          {person?.forgotten_at && <Fact name="Erased">{formatDate(person.forgotten_at)}</Fact>}
        </dl>
      )}
      {person && person.customers.length > 0 && (
        <div className="px-4 py-3">
          <h2 className="font-medium text-xs">At Stripe</h2>
          <ul className="mt-1">
            {person.customers.map(({ id, links }) => (
              <li key={id} className="flex items-center gap-2">
                <CopyId id={id} />
                <VendorLinks of={id} links={links} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {person && person.related.length > 0 && (
        <div className="px-4 py-3">
          <h2 className="font-medium text-xs">{related}</h2>
          <ul className="mt-1.5 space-y-1">
            {person.related.map(({ id, label, role, has_seat, pool }) => (
              <li key={id}>
                <div className="flex items-center justify-between gap-2">
                  <Link
                    to={traceAddress({ owner: id })}
                    className="min-w-0 truncate text-accent-text hover:underline"
                  >
                    {label ?? id}
                  </Link>
                  <span className="shrink-0 text-faint text-xs">
                    {[role && sentenceCase(role), has_seat ? 'seat' : 'no seat'].filter(Boolean).join(', ')}
                  </span>
                </div>
                {pool !== null && (
                  <p className="text-faint text-xs tabular-nums">Pool: {formatCredits(pool)} credits</p>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
      {person && owner.kind === 'user' && <Editors editors={person.editors} />}
    </Card>
  )
}

/** Why a call of an editor is refused, while one would be: what stands in the way of the balance. */
function Spendable({ available, held, debt }: CaseSummary['spendable']) {
  if (held + debt === 0) return null
  return (
    <>
      <Fact name="Available">{formatCredits(available)}</Fact>
      {held > 0 && <Fact name="Reserved">{formatCredits(held)}</Fact>}
      {debt > 0 && <Fact name="Debt">{formatCredits(debt)}</Fact>}
    </>
  )
}

const editorStates = {
  connected: ['positive', 'Connected'],
  expired: ['neutral', 'Expired'],
  revoked: ['neutral', 'Revoked'],
} as const satisfies Record<SupportPerson['editors'][number]['state'], readonly [Tone, string]>

function Editors({ editors }: Pick<SupportPerson, 'editors'>) {
  return (
    <div className="px-4 py-3">
      <h2 className="font-medium text-xs">Editors</h2>
      {editors.length === 0 && <p className="mt-1 text-muted text-xs">No editor was ever connected.</p>}
      <ul className="mt-1.5 space-y-2">
        {editors.map((editor) => {
          const { id, state, connected_at, last_used_at, ends_at } = editor
          const [tone, text] = editorStates[state]
          return (
            <li key={id} className="text-faint text-xs">
              <p className="flex items-center justify-between gap-2">
                <span className="min-w-0 text-ink">{editorTitle(editor)}</span>
                <Badge tone={tone}>{text}</Badge>
              </p>
              {editor.name !== null && <p className="[overflow-wrap:anywhere]">Says it is “{editor.name}”</p>}
              <p>
                {last_used_at ? (
                  <>
                    Last used <Moment at={last_used_at} />
                  </>
                ) : (
                  'Never used'
                )}
              </p>
              <p>
                Since {formatDate(connected_at)}, {ends[state]} {formatDate(ends_at)}
              </p>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

const editorTitle = ({ kind, editor }: SupportPerson['editors'][number]) =>
  kind === 'generated' ? 'Generated token' : (editor ?? 'A program on a computer')

const ends = { connected: 'expires', expired: 'expired', revoked: 'revoked' } as const

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="text-muted">{name}</dt>
      <dd className="text-right tabular-nums">{children}</dd>
    </div>
  )
}
