import { type ReactNode, useState } from 'react'
import type { ActKind, Adjustment } from '../../../../schema/api/support-acts.ts'
import type { RequestedActs } from '../../../api/support-acts.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { actNames, counted } from '../labels.ts'
import { ActResults } from './ActResults.tsx'
import { AdjustForm } from './AdjustForm.tsx'
import { ConfirmForm } from './ConfirmForm.tsx'
import { ActContext, type ActRequest } from './useAct.ts'

const descriptions: Readonly<Record<ActKind, string>> = {
  replay: 'Processes the item again. Completed steps are not repeated.',
  resync: 'Fetches the customer’s state from Stripe and Clerk, and updates ledger and seats.',
  adjust: 'Gives the customer credits, or takes some away. They see it in their history.',
  cancel_intent:
    'Ends a checkout that is stuck and was not paid, so that the customer can begin another one.',
  cancel_subscription:
    'Ends a plan whose owner is gone, or a second one of its owner. Stripe makes no more invoices; refunds are separate.',
  invoice_changes:
    'Bills the changes of a plan now that Stripe would bill with its next renewal. The card on file is charged, or a credit goes to the balance at Stripe.',
  resend_invitation: 'Sends the open invitation once more.',
  release_hold:
    'Makes the reserved credits available again. The editor that reserved them can then charge nothing for its request.',
  forget: 'Erases the person. It cannot be undone, so a second person has to approve it.',
}

/** Preview, then reason and confirmation, then the outcome. Escape closes at any time. */
function ActDialog({ request, onClose }: { request: ActRequest; onClose: () => void }) {
  const { kind, subject, targets } = request
  return (
    <Dialog
      open
      wide
      onOpenChange={(open) => !open && onClose()}
      title={`${actNames[kind]}: ${targets.length === 1 ? subject : counted(targets.length, 'item')}`}
      description={descriptions[kind]}
    >
      <Steps request={request} onClose={onClose} />
    </Dialog>
  )
}

function Steps({ request, onClose }: { request: ActRequest; onClose: () => void }) {
  const [adjustment, setAdjustment] = useState<Adjustment>()
  const [isPreviewed, setIsPreviewed] = useState(request.kind !== 'adjust')
  const [started, setStarted] = useState<RequestedActs>()
  if (started) return <ActResults started={started} onClose={onClose} onDone={request.onDone} />
  if (!isPreviewed) {
    return (
      <AdjustForm
        initial={adjustment ?? request.adjustment}
        onPreview={(next) => {
          setAdjustment(next)
          setIsPreviewed(true)
        }}
      />
    )
  }
  return (
    <ConfirmForm
      kind={request.kind}
      targets={request.targets}
      adjustment={adjustment}
      onBack={request.kind === 'adjust' ? () => setIsPreviewed(false) : onClose}
      onStarted={setStarted}
    />
  )
}

export function ActProvider({ children }: { children: ReactNode }) {
  const [request, setRequest] = useState<ActRequest | null>(null)
  return (
    <ActContext value={setRequest}>
      {children}
      {request && <ActDialog request={request} onClose={() => setRequest(null)} />}
    </ActContext>
  )
}
