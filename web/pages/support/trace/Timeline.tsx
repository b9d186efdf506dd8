import { History } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { CaseSummary, TraceItem } from '../../../../schema/api/support.ts'
import { ShowMore } from '../../../components/ShowMore.tsx'
import { useAct } from '../../../components/support/acts/useAct.ts'
import { withParameter } from '../../../components/support/addresses.ts'
import { ClearFilter } from '../../../components/support/ClearFilter.tsx'
import { useRowKeys } from '../../../components/support/useKeys.ts'
import { replayOf } from '../../../content/support/acts.ts'
import { describeInCase, problemsOf } from '../../../content/support/case.ts'
import { groups } from '../../../content/support/timeline.ts'
import type { TextContext } from '../../../content/support/words.ts'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { TimelineItem } from './TimelineItem.tsx'

interface TimelineProps {
  items: readonly TraceItem[]
  owner: string | null
  /** What the address asks for, wherever on the timeline it is. */
  highlighted: TraceItem | null
  summary: CaseSummary | null
  context: TextContext
  query: Parameters<typeof ShowMore>[0]['query']
}

/** Newest first. The address says which groups are shown. */
export function Timeline({ items, owner, highlighted, summary, context, query }: TimelineProps) {
  const [search, setSearch] = useSearchParams()
  const act = useAct()
  const list = useRef<HTMLOListElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const group = groups.find(({ name }) => name === search.get('show'))
  const isIgnoredShown = search.get('ignored') === 'shown'
  const key = highlighted?.key
  const isElsewhere = highlighted !== null && !items.some((item) => item.key === key)
  const shown = (isElsewhere ? [highlighted, ...items] : items)
    .map((item) => ({ item, text: describeInCase(summary, item, context) }))
    .filter(
      ({ item: { kind, ...item }, text }) =>
        item.key === key ||
        ((!group || group.kinds.some((one) => one.kind === kind)) &&
          (isIgnoredShown || kind !== 'event' || text.level !== 'ignored')),
    )
  useHighlight(list, key, () => key && setOpen((before) => new Set([...before, key])))
  useRowKeys(list, {
    r: (row) => {
      const found = shown.find(({ item }) => item.key === row)
      const problem = summary && problemsOf(summary, owner ?? '').find(({ replay }) => replay)
      const replay = found ? replayOf(found.item) : problem?.replay
      if (replay)
        act({
          kind: replay.id === owner ? 'resync' : 'replay',
          targets: [replay],
          subject: found?.text.title ?? `${replay.kind} ${replay.id}`,
        })
    },
  })
  const set = (name: string, value: string | null) =>
    setSearch((before) => withParameter(before, name, value), { replace: true })
  const toggle = (item: string) =>
    setOpen((before) =>
      before.has(item) ? new Set([...before].filter((one) => one !== item)) : new Set([...before, item]),
    )
  return (
    <Card aria-labelledby="timeline-title" className="overflow-clip">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-2.5">
        <h2 id="timeline-title" className="font-semibold text-sm">
          Timeline
        </h2>
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">What is shown</legend>
          {[{ name: 'All' }, ...groups].map(({ name }) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === (group?.name ?? 'All')}
              className="h-7 rounded-md px-2 font-medium text-muted text-xs hover:bg-hover aria-pressed:bg-hover aria-pressed:text-ink"
              onClick={() => set('show', name === 'All' ? null : name)}
            >
              {name}
            </button>
          ))}
        </fieldset>
        {/* Frequent, and rarely important. */}
        <label className="ml-auto flex items-center gap-2 text-muted text-xs">
          <input
            type="checkbox"
            className="size-3.5 accent-accent"
            checked={isIgnoredShown}
            onChange={({ target }) => set('ignored', target.checked ? 'shown' : null)}
          />
          Ignored events
        </label>
      </div>
      {shown.length === 0 ? (
        <div role="status">
          <EmptyState
            icon={History}
            title={group ? 'Nothing of this kind so far' : 'Nothing has happened yet'}
            className="py-10"
            action={group && <ClearFilter onClear={() => set('show', null)} />}
          />
        </div>
      ) : (
        <ol ref={list}>
          {shown.map(({ item, text }) => (
            <TimelineItem
              key={item.key}
              item={item}
              text={text}
              owner={owner}
              isOpen={open.has(item.key)}
              isHighlighted={item.key === key}
              onToggle={() => toggle(item.key)}
            />
          ))}
        </ol>
      )}
      <ShowMore query={query} label="Show older" />
    </Card>
  )
}

/** Scrolls to the requested item, once for each new request. */
function useHighlight(
  list: RefObject<HTMLElement | null>,
  key: string | undefined,
  onHighlight: () => void,
): void {
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (!key || shown.current === key) return
    shown.current = key
    onHighlight()
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    const row = rows.find(({ dataset }) => dataset.row === key)
    row?.scrollIntoView({ block: 'center' })
    row?.focus({ preventScroll: true })
  })
}
