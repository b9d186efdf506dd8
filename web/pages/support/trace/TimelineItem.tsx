import {
  ArrowLeftRight,
  ChevronRight,
  Circle,
  Clock,
  CreditCard,
  FileText,
  Gauge,
  Hand,
  type LucideIcon,
  Mail,
  Receipt,
  Repeat,
  RotateCcw,
  ShoppingCart,
  UserRound,
  Webhook,
  Wrench,
} from 'lucide-react'
import { useId } from 'react'
import { Link } from 'react-router-dom'
import type { TraceItem } from '../../../../schema/api/support.ts'
import { formatCreditChange, formatCredits, formatMoney } from '../../../components/format.ts'
import { useAct } from '../../../components/support/acts/useAct.ts'
import { caseOfItem, traceAddress } from '../../../components/support/addresses.ts'
import { CopyId } from '../../../components/support/CopyId.tsx'
import { Detail } from '../../../components/support/Detail.tsx'
import { counted, levelTones, sentenceCase } from '../../../components/support/labels.ts'
import { Moment } from '../../../components/support/Moment.tsx'
import { VendorLinks } from '../../../components/support/VendorLinks.tsx'
import { actsOn, actWords, targetOf } from '../../../content/support/acts.ts'
import { kindName } from '../../../content/support/timeline.ts'
import type { ItemText } from '../../../content/support/words.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { cn } from '../../../ui/cn.ts'

const icons: Readonly<Record<string, LucideIcon>> = {
  intent: ShoppingCart,
  session: CreditCard,
  event: Webhook,
  attempt: Wrench,
  subscription: Repeat,
  invoice: FileText,
  charge: Receipt,
  transfer: ArrowLeftRight,
  hold: Clock,
  refusal: Gauge,
  seat: UserRound,
  mail: Mail,
  invitation: Mail,
  act: Hand,
}

const dots = {
  done: 'bg-surface text-muted',
  waiting: 'bg-caution-soft text-caution border-caution-line',
  problem: 'bg-critical-soft text-critical border-critical-line',
  ignored: 'bg-surface text-faint',
}

interface TimelineItemProps {
  item: TraceItem
  text: ItemText
  owner: string | null
  isOpen: boolean
  isHighlighted: boolean
  onToggle: () => void
}

/** In a line what happened; opened in place, everything that is known of it and what can be done. */
export function TimelineItem({ item, text, owner, isOpen, isHighlighted, onToggle }: TimelineItemProps) {
  const id = useId()
  const { kind } = item
  const { level, state, title, error, credits, money, account, balance_after } = text
  const Icon = icons[kind] ?? Circle
  return (
    <li
      className={cn(
        'relative border-b last:border-b-0 before:absolute before:inset-y-0 before:left-[1.72rem] before:w-px before:bg-line',
        // Faint text would be too faint on that.
        isHighlighted && 'bg-accent-soft [&_.text-faint]:text-muted',
      )}
    >
      <button
        type="button"
        data-row={item.key}
        aria-expanded={isOpen}
        aria-controls={`${id}-details`}
        onClick={onToggle}
        className="group relative grid w-full grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-3 px-4 py-2 text-left text-sm hover:bg-hover/60 focus-visible:bg-hover/60 focus-visible:-outline-offset-2"
      >
        <span className={cn('grid size-6 place-items-center rounded-full border', dots[level])}>
          <Icon aria-hidden="true" className="size-3.5" />
        </span>
        <span className="min-w-0">
          <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            <span className="font-medium [overflow-wrap:anywhere]">{title}</span>
            {/* A transfer's is its kind, which the title says. */}
            {state && kind !== 'transfer' && (
              <Badge tone={level === 'done' ? 'neutral' : levelTones[level]}>{sentenceCase(state)}</Badge>
            )}
          </span>
          <span className="mt-0.5 block text-faint text-xs">
            {kindName(kind)} · <Moment at={item.at} />
          </span>
          {error && (
            <span
              className={cn(
                'mt-0.5 block text-xs [overflow-wrap:anywhere]',
                level === 'problem' ? 'text-critical' : 'text-muted',
                !isOpen && 'line-clamp-2',
              )}
            >
              {error}
            </span>
          )}
        </span>
        <span className="flex items-start gap-2 text-right tabular-nums">
          <span>
            {credits !== undefined && (
              <span
                className={cn(
                  'block font-medium',
                  kind !== 'transfer' ? 'text-muted' : credits > 0 ? 'text-positive' : 'text-critical',
                )}
              >
                {kind === 'transfer' ? formatCreditChange(credits) : formatCredits(credits)}
              </span>
            )}
            {balance_after !== undefined && (
              <span className="block text-faint text-xs">
                {formatCredits(balance_after)} {account}
              </span>
            )}
            {money && (
              // Beside the title when alone, else below the credits.
              <span className="block text-muted text-xs leading-5">
                {formatMoney(money.amount_minor, money.currency)}
              </span>
            )}
          </span>
          <ChevronRight
            aria-hidden="true"
            className="mt-1 size-3.5 text-faint transition-transform group-aria-expanded:rotate-90"
          />
        </span>
      </button>
      <div id={`${id}-details`} hidden={!isOpen} className="pt-1.5 pr-4 pb-3 pl-13 text-sm">
        {isOpen && <Details item={item} text={text} owner={owner} />}
      </div>
    </li>
  )
}

function Details({ item, text, owner }: Pick<TimelineItemProps, 'item' | 'text' | 'owner'>) {
  const { title, details = [], attempts = 0, next_try_at, caused_by = [], led_to = [] } = text
  const act = useAct()
  const possible = actsOn(item)
  return (
    <>
      {details.length > 0 && (
        <p className="mb-2 max-w-2xl text-muted [overflow-wrap:anywhere]">{details.join(' ')}</p>
      )}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1 text-sm">
        <Detail name="Id">
          <span className="flex flex-wrap items-center gap-x-3">
            <CopyId id={item.id} />
            <VendorLinks of={title} links={item.links} />
          </span>
        </Detail>
        {attempts > 0 && (
          <Detail name="Tried">
            {counted(attempts, 'time')}
            {next_try_at && (
              <>
                , again <Moment at={next_try_at} />
              </>
            )}
          </Detail>
        )}
        {caused_by.length > 0 && (
          <Detail name="Because of">
            {caused_by.map((key) => (
              <ItemLink key={key} itemKey={key} owner={owner} />
            ))}
          </Detail>
        )}
        {led_to.length > 0 && (
          <Detail name="Charged by">
            {led_to.map((key) => (
              <ItemLink key={key} itemKey={key} owner={owner} />
            ))}
          </Detail>
        )}
      </dl>
      {possible.length > 0 && (
        <div className="mt-3 flex flex-wrap gap-2">
          {possible.map((kind) => (
            <Button
              key={kind}
              variant="secondary"
              size="small"
              onClick={() =>
                act({
                  kind,
                  targets: [targetOf(item)],
                  subject: title,
                  params: actWords[kind].paramsOf?.(item),
                })
              }
            >
              {kind === 'replay' && <RotateCcw aria-hidden="true" />}
              {actWords[kind].name}
            </Button>
          ))}
        </div>
      )}
    </>
  )
}

function ItemLink({ itemKey, owner }: { itemKey: string; owner: string | null }) {
  const [kind = '', ...rest] = itemKey.split(':')
  const asked = owner ? caseOfItem(owner, itemKey) : { kind, id: rest.join(':') }
  return (
    <Link to={traceAddress(asked)} replace className="block truncate text-accent-text hover:underline">
      {kindName(kind)} <span className="font-mono text-xs">{rest.join(':')}</span>
    </Link>
  )
}
