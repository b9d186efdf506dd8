import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { buySeats } from '../../../schema/api/organizations.ts'
import { invalidTeamEmailText, teamEmailSchema } from '../../../schema/api/team-email.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import type { PayerView } from '../../api/account.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { organizationSubscriptionQuery } from '../../api/organizations.ts'
import { formatMoney } from '../../components/format.ts'
import { toastFailure } from '../../components/toastFailure.ts'
import { useHostedPage } from '../../components/useHostedPage.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { type SeatRequest, useAssignSeat } from './seats.ts'

interface BuySeatsDialogProps {
  payer: PayerView
  /** A seat was to be assigned, and none was free. */
  refused: boolean
  seats_total: number
  onClose: () => void
}

/** Leads to Stripe's page, which shows the exact sum and asks once more. */
export function BuySeatsDialog({ payer, refused, seats_total, onClose }: BuySeatsDialogProps) {
  const api = useApi()
  const subscription = useQuery(organizationSubscriptionQuery(api, payer)).data?.subscription
  const credits = subscription
    ? ` A seat brings ${subscription.credits_per_seat} credits a month; in this one, the share for the days that are left.`
    : ''
  const [typed, setTyped] = useState('1')
  const most = useWebConfig().maximum_seats - seats_total
  const quantity = Number(typed)
  const problem = seatsProblem(quantity, most)
  const confirm = useHostedPage({
    mutationFn: (additional: number) =>
      api(buySeats, {
        body: { orgId: payer.payer, clerkUserId: payer.userId, quantity: additional },
      }),
    onError: toastFailure('Failed to create checkout session'),
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!problem) confirm.open(quantity)
  }

  return (
    <Dialog
      onClose={onClose}
      title="Buy Additional Seats"
      description={`The next page shows the exact amount for the rest of this period, and nothing is charged until you confirm it there.${credits}`}
    >
      {refused && (
        <div className="mb-5">
          <Alert tone="caution" title="All Seats Used">
            No available seats. Upgrade your subscription to add more members.
          </Alert>
        </div>
      )}
      <form noValidate onSubmit={submit}>
        <Field
          label="Additional seats"
          unit="seats"
          value={typed}
          disabled={confirm.processing}
          onChange={({ target }) => setTyped(target.value.trim())}
          problem={problem}
          hint={
            subscription &&
            `${formatMoney(subscription.price_per_seat_minor * quantity, subscription.currency)} more for each period, ${seats_total + quantity} seats in total`
          }
        />
        <div className="mt-5 flex flex-col-reverse gap-2.5 sm:flex-row sm:justify-end">
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" busy={confirm.processing} disabled={problem !== null}>
            {confirm.processing ? 'Processing...' : 'Continue'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function seatsProblem(quantity: number, most: number): string | null {
  if (Number.isInteger(quantity) && quantity >= 1 && quantity <= most) return null
  return most === 1 ? 'One more seat is possible' : `Seats must be a whole number from 1 to ${most}`
}

interface AssignSeatDialogProps {
  payer: PayerView
  onClose: () => void
  onNoSeats: () => void
}

export function AssignSeatDialog({ payer, onClose, onNoSeats }: AssignSeatDialogProps) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<SeatRequest['role']>('member')
  const [checked, setChecked] = useState(false)
  const assign = useAssignSeat(payer, { onAssigned: onClose, onNoSeats })
  const valid = teamEmailSchema.safeParse(email).success

  function submit(event: FormEvent) {
    event.preventDefault()
    setChecked(true)
    if (valid) assign.mutate({ email, role })
  }

  return (
    <Dialog
      onClose={onClose}
      title="Assign Seat"
      description="A member can use the organization’s credits at once. A non-member is invited by email, and the seat is reserved for them."
    >
      <form noValidate onSubmit={submit}>
        <Field
          label="Email of the person"
          type="email"
          autoComplete="off"
          placeholder="name@example.com"
          value={email}
          disabled={assign.isPending}
          problem={checked && !valid ? invalidTeamEmailText : null}
          onChange={({ target }) => setEmail(target.value)}
        />
        <p className="mb-1.5 font-medium text-sm">Role</p>
        <RoleSwitch value={role} onChange={setRole} />
        <div className="mt-6 flex flex-col-reverse gap-2.5 sm:flex-row sm:justify-end">
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" busy={assign.isPending}>
            Assign Seat
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

type Role = 'member' | 'admin'

const roles = [
  { value: 'member', label: 'Member' },
  { value: 'admin', label: 'Admin' },
] as const

export function RoleSwitch({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  return <Segments label="Role" name={useId()} value={value} options={roles} onChange={onChange} />
}
