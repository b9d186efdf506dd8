import { RotateCcw } from 'lucide-react'
import { useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import type { WorkRow } from '../../../../schema/api/support.ts'
import { maximumTargets } from '../../../../schema/api/support-acts.ts'
import { useAct } from '../../../components/support/acts/useAct.ts'
import { traceAddress } from '../../../components/support/addresses.ts'
import {
  ageText,
  counted,
  ownerTitle,
  stakeText,
  type Tone,
  workStateNames,
} from '../../../components/support/labels.ts'
import { useKeys, useRowKeys } from '../../../components/support/useKeys.ts'
import { replayOf } from '../../../content/support/acts.ts'
import { describeItem } from '../../../content/support/timeline.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { cn } from '../../../ui/cn.ts'

const stateTones: Readonly<Record<WorkRow['state'], Tone>> = {
  failed: 'critical',
  stuck: 'caution',
  ignored: 'neutral',
}

const columns =
  'grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-3 @3xl:grid-cols-[auto_4.5rem_minmax(0,1fr)_11rem_10rem_4.5rem_5.5rem]'

/** Rows to select and replay. Keys for the focused row: Enter opens, r replays, x selects. */
export function WorkTable({ rows, asOf }: { rows: readonly WorkRow[]; asOf: string }) {
  const act = useAct()
  const list = useRef<HTMLUListElement>(null)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  // A row that is gone is no longer chosen.
  const possible = rows.filter(({ item }) => replayOf(item))
  const selection = possible.filter(({ item }) => chosen.has(item.key))
  const choose = (key: string) =>
    setChosen((before) =>
      before.has(key) ? new Set([...before].filter((one) => one !== key)) : new Set([...before, key]),
    )
  const replay = (asked: readonly WorkRow[]) => {
    const targets = asked.flatMap(({ item }) => replayOf(item) ?? []).slice(0, maximumTargets)
    const subject = asked[0] ? describeItem(asked[0].item, { as_of: asOf }).title : ''
    if (targets.length > 0) act({ kind: 'replay', targets, subject, onDone: () => setChosen(new Set()) })
  }
  useRowKeys(list, {
    r: (key) => replay(selection.length > 0 ? selection : rows.filter(({ item }) => item.key === key)),
    x: (key) => key !== undefined && possible.some(({ item }) => item.key === key) && choose(key),
  })
  useKeys({ escape: () => setChosen(new Set()) })
  return (
    <div className="@container">
      <div className={cn(columns, 'items-center border-b bg-sunken px-4 py-1.5 text-faint text-xs')}>
        <input
          type="checkbox"
          aria-label="Select all that can be replayed"
          className="size-4 accent-accent"
          checked={possible.length > 0 && selection.length === possible.length}
          onChange={({ target }) =>
            setChosen(new Set(target.checked ? possible.map(({ item }) => item.key) : []))
          }
        />
        <span className="@3xl:hidden">{counted(rows.length, 'item')} shown</span>
        {['State', 'Item and error', 'Customer', 'At stake', 'Age'].map((name) => (
          <span key={name} aria-hidden="true" className="hidden font-medium @3xl:block">
            {name}
          </span>
        ))}
      </div>
      <ul ref={list} className="divide-y divide-line text-sm">
        {rows.map((row) => (
          <Row
            key={row.item.key}
            row={row}
            asOf={asOf}
            isChosen={chosen.has(row.item.key)}
            onChoose={() => choose(row.item.key)}
            onReplay={() => replay([row])}
          />
        ))}
      </ul>
      {selection.length > 0 && (
        <div
          role="status"
          className="sticky bottom-0 z-10 flex items-center gap-3 border-t bg-surface px-4 py-2.5 text-sm shadow-float"
        >
          <span className="font-medium">{counted(selection.length, 'item')} selected</span>
          <Button variant="quiet" size="small" className="ml-auto" onClick={() => setChosen(new Set())}>
            Clear
          </Button>
          <Button size="small" onClick={() => replay(selection)}>
            Replay {selection.length}
          </Button>
        </div>
      )}
    </div>
  )
}

interface RowProps {
  row: WorkRow
  asOf: string
  isChosen: boolean
  onChoose: () => void
  onReplay: () => void
}

function Row({ row, asOf, isChosen, onChoose, onReplay }: RowProps) {
  const { item, state, owner, since } = row
  const { key, kind, id } = item
  const { title, error, attempts = 0, next_try_at } = describeItem(item, { as_of: asOf })
  const canReplay = replayOf(item) !== null
  const stake = stakeText(row.money, row.credits)
  const tries =
    attempts > 0
      ? `${counted(attempts, 'try', 'tries')}${next_try_at ? ', and it will be tried again' : ''}`
      : null
  return (
    <li
      className={cn(
        columns,
        'relative items-start px-4 py-2.5 transition-colors hover:bg-sunken has-[[data-row]:focus-visible]:bg-hover @3xl:items-center',
        // Faint text would be too faint on that.
        isChosen && 'bg-accent-soft [&_.text-faint]:text-muted',
      )}
    >
      <input
        type="checkbox"
        aria-label={`Select ${title}`}
        className="relative z-1 mt-0.5 size-4 accent-accent disabled:opacity-30 @3xl:mt-0"
        disabled={!canReplay}
        checked={isChosen}
        onChange={onChoose}
      />
      <span className="hidden @3xl:block">
        <Badge tone={stateTones[state]}>{workStateNames[state]}</Badge>
      </span>
      <div className="min-w-0">
        <Link
          to={traceAddress({ ...(owner && { owner: owner.id }), kind, id })}
          data-row={key}
          className="font-medium outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2"
        >
          {title}
        </Link>
        {error && (
          <p className="mt-0.5 line-clamp-2 text-critical text-xs [overflow-wrap:anywhere]" title={error}>
            {error}
          </p>
        )}
        <p className="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-faint text-xs">
          <span className="@3xl:hidden">
            {[workStateNames[state], owner && ownerTitle(owner), stake, ageText(since, asOf), tries]
              .filter(Boolean)
              .join(' · ')}
          </span>
          {tries && <span className="hidden @3xl:inline">{tries}</span>}
        </p>
      </div>
      <span className="hidden truncate text-muted text-xs @3xl:block">
        {owner ? ownerTitle(owner) : 'No matching customer'}
      </span>
      <span className="hidden text-xs tabular-nums @3xl:block">{stake ?? '–'}</span>
      <time dateTime={since} className="hidden text-muted text-xs tabular-nums @3xl:block">
        {ageText(since, asOf)}
      </time>
      <span className="relative z-1 text-right">
        {canReplay && (
          <Button variant="secondary" size="small" aria-label={`Replay ${title}`} onClick={onReplay}>
            <RotateCcw aria-hidden="true" />
            <span className="max-sm:hidden">Replay</span>
          </Button>
        )}
      </span>
    </li>
  )
}
