import { type FormEvent, useId, useState } from 'react'
import { invalidTeamEmailText, teamEmailSchema } from '../../../schema/api/team-email.ts'
import type { OrganizationView } from '../../api/organizations.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { type SeatRequest, useAssignSeat } from './seats.ts'

interface AssignSeatDialogProps {
  view: OrganizationView
  open: boolean
  onClose: () => void
  onNoSeats: () => void
}

export function AssignSeatDialog({ open, onClose, ...form }: AssignSeatDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title="Assign Seat"
      description="A member can use the organization’s credits at once. A non-member is invited by email, and the seat is reserved for them."
    >
      <AssignForm onClose={onClose} {...form} />
    </Dialog>
  )
}

function AssignForm({ view, onClose, onNoSeats }: Omit<AssignSeatDialogProps, 'open'>) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<SeatRequest['role']>('member')
  const [checked, setChecked] = useState(false)
  const assign = useAssignSeat(view, { onAssigned: onClose, onNoSeats })
  const valid = teamEmailSchema.safeParse(email).success

  function submit(event: FormEvent) {
    event.preventDefault()
    setChecked(true)
    if (valid) assign.mutate({ email, role })
  }

  return (
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
