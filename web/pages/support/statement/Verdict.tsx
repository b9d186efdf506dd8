import type { StatementDay } from '../../../../schema/api/reconciliation.ts'
import { formatDate } from '../../../components/format.ts'
import { counted } from '../../../components/support/words.ts'
import { Alert } from '../../../ui/Alert.tsx'
import { formatMinor } from './sums.ts'

/** Whether everything sums to zero, and otherwise where it does not. */
export function Verdict({ days }: { days: readonly StatementDay[] }) {
  const wrong = days.filter(({ agrees }) => agrees === false)
  const open = days.filter(({ state }) => state === 'open').length
  if (wrong.length === 0) {
    const isKnown = days.some(({ agrees }) => agrees === true)
    return (
      <Alert
        tone={isKnown ? 'positive' : 'info'}
        title={isKnown ? 'It sums to zero' : 'Nothing is proven yet'}
      >
        {open > 0
          ? `${counted(open, 'day is', 'days are')} not closed yet, because Stripe’s list is read when a day is over.`
          : 'Every day is closed, and never changes again.'}
      </Alert>
    )
  }
  return (
    <Alert tone="critical" title={`It does not sum to zero on ${counted(wrong.length, 'day')}`}>
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
