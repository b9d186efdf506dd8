import { Button } from '../../ui/Button.tsx'
import { AddCreditsLink } from './AddCreditsLink.tsx'
import type { Notice, NoticeAction } from './notices.ts'
import { PortalButton } from './PortalButton.tsx'
import type { Payer } from './usePayer.ts'

interface NoticeActionsProps {
  actions: Notice['actions']
  payer: Pick<Payer, 'payer' | 'userId'>
  onFollow?: () => void
}

/** The ways to resolve a notice, each in one click. */
export function NoticeActions({ actions, ...props }: NoticeActionsProps) {
  if (actions.length === 0) return null
  return (
    <div className="mt-2.5 flex flex-wrap gap-2">
      {actions.map((action) => (
        <Action key={action.label} action={action} {...props} />
      ))}
    </div>
  )
}

interface ActionProps extends Omit<NoticeActionsProps, 'actions'> {
  action: NoticeAction
}

function Action({ action, payer, onFollow }: ActionProps) {
  switch (action.leadsTo) {
    case 'credits':
      return <AddCreditsLink onFollow={onFollow} />
    case 'stripe':
      return (
        <Button asChild variant="secondary" size="small">
          <a href={action.url} rel="noreferrer" onClick={onFollow}>
            {action.label}
          </a>
        </Button>
      )
    case 'card':
      return <PortalButton payer={payer} label={action.label} flow="payment_method_update" />
    case 'portal':
      return <PortalButton payer={payer} label={action.label} />
  }
}
