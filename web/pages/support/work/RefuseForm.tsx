import { type FormEvent, useState } from 'react'
import { failureText } from '../../../api/failure.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'

interface RefuseFormProps {
  name: string
  isPending: boolean
  error: unknown
  onRefuse: (reason: string) => void
}

export function RefuseForm({ name, isPending, error, onRefuse }: RefuseFormProps) {
  const [reason, setReason] = useState('')

  function submit(event: FormEvent) {
    event.preventDefault()
    onRefuse(reason)
  }

  return (
    <form noValidate onSubmit={submit}>
      <Field
        label="Reason"
        autoFocus
        autoComplete="off"
        maxLength={1000}
        value={reason}
        disabled={isPending}
        problem={error ? failureText(error, 'An unexpected error occurred. Please try again.') : null}
        hint="For your colleagues, in the audit log."
        onChange={({ target }) => setReason(target.value)}
      />
      <div className="mt-4 flex justify-end">
        <Button type="submit" busy={isPending}>
          {name}
        </Button>
      </div>
    </form>
  )
}
