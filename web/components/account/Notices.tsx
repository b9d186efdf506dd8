import type { PayerView } from '../../api/account.ts'
import { Alert } from '../../ui/Alert.tsx'
import { NoticeActions } from './NoticeActions.tsx'
import { useNotices } from './useNotices.ts'

export function Notices({ payer }: { payer: PayerView }) {
  const { notices } = useNotices(payer)
  if (notices.length === 0) return null
  return (
    <section aria-label="Notices" className="mb-4 space-y-3 sm:mb-5">
      {notices.map(({ id, tone, title, text, actions }) => (
        <Alert key={id} tone={tone} title={title}>
          <p>{text}</p>
          <NoticeActions actions={actions} payer={payer} />
        </Alert>
      ))}
    </section>
  )
}
