import type { AccountSummary } from '../../../schema/api/account.ts'
import { NoticeAction } from '../../components/account/NoticeAction.tsx'
import { noticesOf } from '../../components/account/notices.ts'
import type { Payer } from '../../components/account/usePayer.ts'
import { Alert } from '../../ui/Alert.tsx'

interface NoticesProps {
  summary: AccountSummary
  payer: Payer
}

export function Notices({ summary, payer }: NoticesProps) {
  const notices = noticesOf(summary)
  if (notices.length === 0) return null
  return (
    <section aria-label="Notices" className="mb-4 space-y-3 sm:mb-5">
      {notices.map(({ id, tone, title, text, action }) => (
        <Alert key={id} tone={tone} title={title}>
          <p>{text}</p>
          {action && (
            <div className="mt-2.5">
              <NoticeAction action={action} payer={payer} />
            </div>
          )}
        </Alert>
      ))}
    </section>
  )
}
