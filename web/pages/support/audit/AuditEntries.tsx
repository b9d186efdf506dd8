import { ChevronRight } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import type { AuditEntry } from '../../../../schema/api/support-acts.ts'
import { useSignedInUser } from '../../../auth/useSignedInUser.ts'
import { traceAddress } from '../../../components/support/addresses.ts'
import { CopyId } from '../../../components/support/CopyId.tsx'
import { Detail } from '../../../components/support/Detail.tsx'
import { auditOutcomes, counted, sentenceCase } from '../../../components/support/labels.ts'
import { Moment } from '../../../components/support/Moment.tsx'
import { useRowKeys } from '../../../components/support/useKeys.ts'
import { actName, differencesOf, entryText } from '../../../content/support/acts.ts'
import { Badge } from '../../../ui/Badge.tsx'

export function AuditEntries({ entries }: { entries: readonly AuditEntry[] }) {
  const { user } = useSignedInUser()
  const list = useRef<HTMLUListElement>(null)
  useRowKeys(list)
  return (
    <ul ref={list} className="divide-y divide-line text-sm">
      {entries.map((entry) => (
        <Entry key={entry.id} entry={entry} isOwn={entry.actor.id === user?.id} />
      ))}
    </ul>
  )
}

/** A line with actor and act; opened, the ids and the changes. */
function Entry({ entry, isOwn }: { entry: AuditEntry; isOwn: boolean }) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const [tone, outcome] = isLook(entry) ? lookedAt : auditOutcomes[entry.outcome]
  const { batch } = entry
  const text = (
    batch && batch.entries > 1
      ? [counted(batch.entries, 'item'), entry.reason]
      : [entryText(entry), entry.reason]
  )
    .filter(Boolean)
    .join(' · ')
  return (
    <li>
      <button
        type="button"
        data-row={entry.id}
        aria-expanded={isOpen}
        aria-controls={`${id}-details`}
        onClick={() => setIsOpen(!isOpen)}
        className="group grid w-full grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3 gap-y-0.5 px-4 py-2 text-left hover:bg-sunken focus-visible:-outline-offset-2 @3xl:grid-cols-[11rem_9rem_9rem_minmax(0,1fr)_auto]"
      >
        <Moment at={entry.at} className="text-muted text-xs leading-5 tabular-nums" />
        <span className="truncate @max-3xl:order-2">{isOwn ? 'You' : entry.actor.name}</span>
        <span className="font-medium @max-3xl:order-3 @max-3xl:text-right">{whatOf(entry)}</span>
        <span className="truncate text-muted @max-3xl:order-4 @max-3xl:col-span-2">{text}</span>
        <span className="flex items-center justify-end gap-2 @max-3xl:order-1">
          <Badge tone={tone}>{outcome}</Badge>
          <ChevronRight
            aria-hidden="true"
            className="size-3.5 text-faint transition-transform group-aria-expanded:rotate-90"
          />
        </span>
      </button>
      <div id={`${id}-details`} hidden={!isOpen} className="px-4 pb-3">
        {isOpen && <Details entry={entry} />}
      </div>
    </li>
  )
}

function Details({ entry }: { entry: AuditEntry }) {
  const { reason, actor, batch } = entry
  const isOne = batch === null || batch.entries === 1
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1 rounded-control bg-sunken px-3 py-2.5 text-sm">
      {reason && <Detail name="Reason">{reason}</Detail>}
      <Detail name="Colleague">
        <CopyId id={actor.id} /> <AllEntries of="actor" id={actor.id} />
      </Detail>
      {isOne && <OneAct entry={entry} />}
      {batch && (
        <Detail name="Asked for together">
          <Link to={`/support/audit?batch_id=${batch.id}`} className="text-accent-text hover:underline">
            Show progress and each entry
          </Link>
        </Detail>
      )}
    </dl>
  )
}

/** The log of one customer or colleague. */
function AllEntries({ of, id }: { of: 'owner_id' | 'actor'; id: string }) {
  return (
    <Link to={`/support/audit?${of}=${id}`} className="text-accent-text text-xs hover:underline">
      All entries
    </Link>
  )
}

/** What an entry says that stands for no others of its batch. */
function OneAct({ entry }: { entry: AuditEntry }) {
  const { detail, target, owner_id, act_id } = entry
  const differences = differencesOf(entry)
  return (
    <>
      {detail && <Detail name="Outcome">{detail}</Detail>}
      {target && (
        <Detail name={sentenceCase(target.kind)}>
          <CopyId id={target.id} />
        </Detail>
      )}
      {owner_id && (
        <Detail name="Customer">
          <Link to={traceAddress({ owner: owner_id })} className="text-accent-text hover:underline">
            <span className="font-mono text-xs">{owner_id}</span>
          </Link>{' '}
          <AllEntries of="owner_id" id={owner_id} />
        </Detail>
      )}
      {act_id && (
        <Detail name="Act">
          <Link to={`/support/audit?act_id=${act_id}`} className="text-accent-text hover:underline">
            <span className="break-all font-mono text-xs">{act_id}</span>
          </Link>
        </Detail>
      )}
      {differences.length > 0 && (
        <Detail name="Changed">
          <ul className="tabular-nums">
            {differences.map((difference) => (
              <li key={difference.what} className="[overflow-wrap:anywhere]">
                {difference.what}: <s className="text-faint">{difference.before}</s> →{' '}
                <span className="font-medium">{difference.after}</span>
              </li>
            ))}
          </ul>
        </Detail>
      )}
    </>
  )
}

const lookedAt = ['neutral', 'Viewed'] as const

/** What a person looks at is logged when they ask for it, and is no act; a comparison is begun by it. */
function isLook({ act_id, outcome, what }: AuditEntry): boolean {
  return act_id === null && outcome === 'requested' && what !== 'reconcile'
}

/** `access` is not an act: a user without the role tried to open the console. */
function whatOf({ what }: AuditEntry): string {
  return what === 'access' ? 'Support console' : actName(what)
}
