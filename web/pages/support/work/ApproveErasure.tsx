import { type FormEvent, useState } from 'react'
import { Link } from 'react-router-dom'
import type { SupportAct } from '../../../../schema/api/support-acts.ts'
import { failureText } from '../../../api/failure.ts'
import { DryRun, useDryRun } from '../../../components/support/acts/DryRun.tsx'
import { traceAddress } from '../../../components/support/addresses.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'

interface ApproveErasureProps {
  act: SupportAct
  isPending: boolean
  error: unknown
  onApprove: (typedAddress: string) => void
  onCancel: () => void
}

/** What the asker saw, computed again; and the address, so that no other person is erased. */
export function ApproveErasure({ act, isPending, error, onApprove, onCancel }: ApproveErasureProps) {
  const [address, setAddress] = useState('')
  const target = { kind: 'user', id: act.target.id } as const
  const dryRun = useDryRun({ kind: 'forget', targets: [target] })
  const isPossible = address.trim() !== '' && dryRun.acts[0]?.outcome?.changed === true && !isPending

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isPossible) onApprove(address)
  }

  return (
    <form noValidate onSubmit={submit}>
      <DryRun {...dryRun} />
      <div className="mt-5">
        <Field
          label="Email address of the person"
          type="email"
          autoFocus
          autoComplete="off"
          spellCheck={false}
          maxLength={320}
          value={address}
          disabled={isPending}
          problem={error ? failureText(error, 'An unexpected error occurred. Please try again.') : null}
          hint={
            <>
              As{' '}
              <Link
                to={traceAddress({ owner: target.id })}
                target="_blank"
                className="text-accent-text underline underline-offset-4"
              >
                their case
              </Link>{' '}
              has it.
            </>
          }
          onChange={({ target: { value } }) => setAddress(value)}
        />
      </div>
      <div className="mt-4 flex flex-col-reverse gap-2.5 sm:flex-row sm:justify-end">
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" variant="danger" busy={isPending} disabled={!isPossible}>
          Erase for good
        </Button>
      </div>
    </form>
  )
}
