import type { StatementDay } from '../../../../schema/api/reconciliation.ts'
import { formatDate } from '../../../components/format.ts'
import { counted, provenText } from '../../../components/support/labels.ts'
import { Alert } from '../../../ui/Alert.tsx'
import { formatMinor } from './sums.ts'

/** Whether everything sums to zero, and otherwise where it does not. */
export function Verdict({ days, provenDay }: { days: readonly StatementDay[]; provenDay: string | null }) {
  const wrong = days.filter(({ agrees }) => agrees === false)
  const open = days.filter(({ state }) => state === 'open').length
  if (wrong.length === 0) {
    const isKnown = days.some(({ agrees }) => agrees === true)
    if (!isKnown) {
      return (
        <Alert tone="info" title={provenText(provenDay)}>
          None of these days is closed: that is done once a day with credits is over, Stripe’s list of its
          payments has been read, and everything until then is proven.
        </Alert>
      )
    }
    return (
      <Alert tone="positive" title="The statement balances">
        {open > 0
          ? `${counted(open, 'day is', 'days are')} not closed yet: Stripe’s list is read when a day is over.`
          : 'Every day is closed, and never changes again.'}
      </Alert>
    )
  }
  return (
    <Alert tone="critical" title={`The statement does not balance on ${counted(wrong.length, 'day')}`}>
      <ul className="mt-1 space-y-1">
        {wrong.map(({ date, unexplained }) => (
          <li key={date}>
            <span className="font-medium">{formatDate(date)}</span>
            {unexplained.map(({ object_id, amount_minor, currency, sentence }) => (
              <span key={object_id} className="block text-xs">
                {sentence} <span className="font-mono">{object_id}</span>,{' '}
                {formatMinor(amount_minor, currency)}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </Alert>
  )
}
