import { CircleAlert, CircleCheck, CircleDashed, Info, RotateCcw } from 'lucide-react'
import { Link } from 'react-router-dom'
import type { CaseSummary } from '../../../../schema/api/support.ts'
import { formatCreditChange, formatCredits } from '../../../components/format.ts'
import { RouteButton } from '../../../components/RouteButton.tsx'
import { useAct } from '../../../components/support/acts/useAct.ts'
import { caseOfItem, traceAddress } from '../../../components/support/addresses.ts'
import { CopyText } from '../../../components/support/CopyText.tsx'
import { counted, sentenceCase, stakeText } from '../../../components/support/labels.ts'
import { Moment, utcTime } from '../../../components/support/Moment.tsx'
import { actWords } from '../../../content/support/acts.ts'
import {
  aboutSilence,
  grantText,
  inOneSentence,
  isUrgent,
  noticesOf,
  type Problem,
  problemsOf,
  tellInOne,
} from '../../../content/support/case.ts'
import { capitalized, type Notice } from '../../../content/support/words.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { cn } from '../../../ui/cn.ts'
import { Cell, type Column, Table } from '../../../ui/Table.tsx'

/** The expected and the actual state, and their difference as a sentence. */
export function CaseSummaryCard({
  summary,
  owner,
  isClerkAway,
}: {
  summary: CaseSummary
  owner: string
  isClerkAway: boolean
}) {
  const { plan_type, balance, grants } = summary
  const problems = problemsOf(summary, owner)
  const notices = [...aboutSilence(summary), ...noticesOf(summary, owner)]
  // The sentence is the first problem's, and says how many more there are.
  const [first, ...others] = problems
  const tell = tellInOne(problems, notices, summary)
  const { Icon, background, color } = looks[toneOf(summary, notices)]
  return (
    <Card aria-label="Expected and actual state" className="overflow-clip">
      <div className={cn('flex flex-wrap items-start gap-x-4 gap-y-3 border-b px-4 py-3', background)}>
        <div className="flex min-w-0 flex-1 basis-72 gap-2.5 [overflow-wrap:anywhere]">
          <Icon aria-hidden="true" className={cn('mt-px size-4.5 shrink-0', color)} />
          <div className="min-w-0">
            <p className="font-medium text-base leading-snug">{inOneSentence(problems, summary, notices)}</p>
            <p className="mt-0.5 text-muted text-xs">
              <HowMuchIsKnown summary={summary} isClerkAway={isClerkAway} />
            </p>
            <ToCustomer tell={tell} />
          </div>
        </div>
        {first ? <ProblemActions problem={first} owner={owner} isFirst /> : tell && <CopyText text={tell} />}
      </div>
      {notices.length > 0 && (
        <ul aria-label="What explains a complaint" className="divide-y divide-line border-b text-sm">
          {notices.map(({ level, sentence: notice, tell, item_key }) => (
            <li key={notice} className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-2.5">
              <div className="flex min-w-0 flex-1 basis-72 gap-2.5 [overflow-wrap:anywhere]">
                <Info
                  aria-hidden="true"
                  className={cn(
                    'mt-0.5 size-4 shrink-0',
                    level === 'problem' ? 'text-caution' : 'text-faint',
                  )}
                />
                <div>
                  <p>{notice}</p>
                  <ToCustomer tell={tell} />
                </div>
              </div>
              <span className="ml-auto flex shrink-0 items-center gap-2">
                <CopyText text={tell} />
                {item_key && <ShowItem owner={owner} item_key={item_key} of={notice} />}
              </span>
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <ul className="divide-y divide-line border-b text-sm">
          {others.map((problem) => (
            <li key={problem.sentence} className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-2.5">
              <div className="min-w-0 flex-1 basis-72 [overflow-wrap:anywhere]">
                <p>{problem.sentence}</p>
                <p className="text-faint text-xs">{stakeText(problem.money, problem.credits)}</p>
                <ToCustomer tell={problem.tell} />
              </div>
              <ProblemActions problem={problem} owner={owner} />
            </li>
          ))}
        </ul>
      )}
      <Table size="dense" caption="What should be there and what is" columns={columns}>
        <tbody className="divide-y divide-line">
          <Row
            name="Plan"
            should={planText(plan_type.should)}
            is={planText(plan_type.is)}
            difference={plan_type.should === plan_type.is ? null : 'differs'}
          />
          <CreditsRow name="Plan credits" credits={balance.plan} />
          <CreditsRow name="Purchased credits" credits={balance.purchased} />
          {grants.map((grant) => (
            <CreditsRow
              key={grant.id}
              name={capitalized(grantText(grant))}
              to={grant.intent && traceAddress(caseOfItem(owner, grant.intent.key))}
              credits={grant.credits}
            />
          ))}
          <CreditsRow name="Balance" credits={balance.total} />
        </tbody>
      </Table>
    </Card>
  )
}

const columns: readonly Column[] = [
  { name: 'What', head: <span className="sr-only">What</span>, namesRow: true },
  { name: 'Should be', align: 'right' },
  { name: 'Is', align: 'right' },
  { name: 'Difference', align: 'right' },
]

const looks = {
  good: { Icon: CircleCheck, background: 'bg-positive-soft', color: 'text-positive' },
  unsure: { Icon: CircleDashed, background: 'bg-caution-soft', color: 'text-caution' },
  bad: { Icon: CircleAlert, background: 'bg-critical-soft', color: 'text-critical' },
} as const

/** Green only where all that came is applied, nothing has to be done, and Stripe agreed within the last minute. */
function toneOf(
  { agrees, unapplied_events, comparison }: CaseSummary,
  notices: readonly Notice[],
): keyof typeof looks {
  if (!agrees || comparison.outcome) return 'bad'
  const isUnsure = unapplied_events > 0 || comparison.state !== 'agrees' || notices.some(isUrgent)
  return isUnsure ? 'unsure' : 'good'
}

/** Since when Stripe, Clerk and a worker have been heard, and what of that is not applied. */
function HowMuchIsKnown({ summary, isClerkAway }: { summary: CaseSummary; isClerkAway: boolean }) {
  const { comparison, worker, unapplied_events, as_of } = summary
  return (
    <>
      Stripe{' '}
      {comparison.at ? (
        <>
          was heard <Moment at={comparison.at} />
        </>
      ) : (
        'was never asked'
      )}
      {comparison.state === 'asking' && ', and is asked now'}; Clerk{' '}
      {isClerkAway ? 'does not answer' : 'answers'};{' '}
      {worker.heard_at ? `a worker answered at ${utcTime(worker.heard_at)}` : 'no worker has answered yet'}
      {unapplied_events > 0 && `; ${counted(unapplied_events, 'event')} received and not applied`}. Looked up
      at {utcTime(as_of)}.
    </>
  )
}

function ToCustomer({ tell }: { tell: string | null }) {
  return tell && <p className="mt-0.5 text-muted text-xs">To the customer: “{tell}”</p>
}

function ShowItem({ owner, item_key, of }: { owner: string; item_key: string; of: string }) {
  return (
    <RouteButton to={traceAddress(caseOfItem(owner, item_key))} replace variant="quiet" size="small">
      Show
      <span className="sr-only">: {of}</span>
    </RouteButton>
  )
}

interface ProblemActionsProps {
  problem: Problem
  owner: string
  isFirst?: boolean
}

function ProblemActions({
  problem: { item_key, replay, sentence, tell },
  owner,
  isFirst = false,
}: ProblemActionsProps) {
  const act = useAct()
  const kind = replay?.id === owner ? 'resync' : 'replay'
  return (
    <span className="ml-auto flex shrink-0 items-center gap-2">
      {tell && <CopyText text={tell} />}
      {item_key && <ShowItem owner={owner} item_key={item_key} of={sentence} />}
      {replay && (
        <Button
          variant={isFirst ? 'primary' : 'secondary'}
          size="small"
          aria-keyshortcuts={isFirst ? 'r' : undefined}
          onClick={() => act({ kind, targets: [replay], subject: `${replay.kind} ${replay.id}` })}
        >
          <RotateCcw aria-hidden="true" />
          {actWords[kind].name}
          <span className="sr-only">: {sentence}</span>
        </Button>
      )}
    </span>
  )
}

interface CreditsRowProps {
  name: string
  to?: string | null
  credits: { is: number; should: number }
}

function CreditsRow({ name, to, credits: { is, should } }: CreditsRowProps) {
  return (
    <Row
      name={name}
      to={to}
      should={formatCredits(should)}
      is={formatCredits(is)}
      difference={is === should ? null : formatCreditChange(is - should)}
    />
  )
}

interface RowProps {
  name: string
  to?: string | null | undefined
  should: string
  is: string
  /** Null when there is none. */
  difference: string | null
}

function Row({ name, to, should, is, difference }: RowProps) {
  const emphasis = difference && 'font-medium text-critical'
  return (
    <tr className={difference ? 'bg-critical-soft' : undefined}>
      <Cell of="What" className="text-muted">
        {to ? (
          <Link to={to} replace className="text-accent-text hover:underline">
            {name}
          </Link>
        ) : (
          name
        )}
      </Cell>
      <Cell of="Should be">{should}</Cell>
      <Cell of="Is" className={cn(emphasis)}>
        {is}
      </Cell>
      <Cell of="Difference" className={cn(emphasis ?? 'text-faint')}>
        {difference ?? '–'}
      </Cell>
    </tr>
  )
}

function planText(plan: string | null): string {
  return plan === null ? 'None' : sentenceCase(plan)
}
