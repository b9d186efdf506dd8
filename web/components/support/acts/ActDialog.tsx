import { type FormEvent, type ReactNode, useState } from 'react'
import { type ActKind, adjustmentSchema } from '../../../../schema/api/support-acts.ts'
import type { RequestedActs } from '../../../api/support-acts.ts'
import { actWords } from '../../../content/support/acts.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { counted } from '../labels.ts'
import { ActResults } from './ActResults.tsx'
import { ConfirmForm } from './ConfirmForm.tsx'
import { ActContext, type ActRequest } from './useAct.ts'

/** Preview, then reason and confirmation, then the outcome. Escape closes at any time. */
function ActDialog({ request, onClose }: { request: ActRequest; onClose: () => void }) {
  const { kind, subject, targets } = request
  const { name, description } = actWords[kind]
  return (
    <Dialog
      open
      wide
      onOpenChange={(open) => !open && onClose()}
      title={`${name}: ${targets.length === 1 ? subject : counted(targets.length, 'item')}`}
      description={description}
    >
      <Steps request={request} onClose={onClose} />
    </Dialog>
  )
}

function Steps({ request, onClose }: { request: ActRequest; onClose: () => void }) {
  const Form = forms[request.kind]
  const [params, setParams] = useState<ActRequest['params']>(request.params ?? {})
  const [isPreviewed, setIsPreviewed] = useState(!Form)
  const [started, setStarted] = useState<RequestedActs>()
  if (started) return <ActResults started={started} onClose={onClose} onDone={request.onDone} />
  if (Form && !isPreviewed) {
    return (
      <Form
        initial={params}
        onPreview={(next) => {
          setParams(next)
          setIsPreviewed(true)
        }}
      />
    )
  }
  return (
    <ConfirmForm
      kind={request.kind}
      targets={request.targets}
      params={params}
      onClose={onClose}
      onBack={Form && (() => setIsPreviewed(false))}
      onStarted={setStarted}
    />
  )
}

export function ActProvider({ children }: { children: ReactNode }) {
  const [request, setRequest] = useState<ActRequest | null>(null)
  return (
    <ActContext value={setRequest}>
      {children}
      {request && (
        <ActDialog
          key={`${request.kind} ${request.targets[0]?.id}`}
          request={request}
          onClose={() => setRequest(null)}
        />
      )}
    </ActContext>
  )
}

interface FormProps {
  initial: ActRequest['params']
  onPreview: (params: ActRequest['params']) => void
}

/** Of acts that have to be told more than their target. */
const forms: Readonly<Partial<Record<ActKind, (props: FormProps) => ReactNode>>> = { adjust: AdjustForm }

function AdjustForm({ initial: params, onPreview }: FormProps) {
  const initial = params?.adjustment
  const [credits, setCredits] = useState(initial?.credits === undefined ? '' : String(initial.credits))
  const [note, setNote] = useState(initial?.customer_note ?? '')
  const [mayLeaveDebt, setMayLeaveDebt] = useState(initial?.may_leave_debt ?? false)
  const [checked, setChecked] = useState(false)
  const amount = readAmount(credits)
  const adjustment = adjustmentSchema.safeParse({
    credits: amount,
    customer_note: note,
    may_leave_debt: mayLeaveDebt,
  })
  const wrong = (name: string) =>
    checked && !adjustment.success && adjustment.error.issues.some(({ path }) => path[0] === name)

  function submit(event: FormEvent) {
    event.preventDefault()
    setChecked(true)
    if (adjustment.success) onPreview({ adjustment: adjustment.data })
  }

  return (
    <form noValidate onSubmit={submit}>
      <Field
        label="Credits"
        inputMode="numeric"
        autoComplete="off"
        placeholder="500, or −500 to take some away"
        value={credits}
        problem={wrong('credits') ? 'Enter a whole number that is not zero' : null}
        hint="Added to what the customer bought; those of the plan stay as they are."
        onChange={({ target }) => setCredits(target.value)}
      />
      <Field
        label="Note for the customer"
        autoComplete="off"
        maxLength={200}
        placeholder="For the outage of 12 November"
        value={note}
        problem={wrong('customer_note') ? 'Enter a short note' : null}
        hint="In their credit history. Your reason for colleagues comes next."
        onChange={({ target }) => setNote(target.value)}
      />
      {(amount ?? 0) < 0 && (
        <label className="mb-2 flex items-start gap-2.5 text-sm">
          <input
            type="checkbox"
            className="mt-0.5 size-4 accent-accent"
            checked={mayLeaveDebt}
            onChange={({ target }) => setMayLeaveDebt(target.checked)}
          />
          It may exceed the balance and leave a debt; then a second person has to approve it.
        </label>
      )}
      <div className="mt-4 flex justify-end">
        <Button type="submit">Preview</Button>
      </div>
    </form>
  )
}

/** A whole number, also with separators and a real minus sign; undefined for other text. */
export function readAmount(text: string): number | undefined {
  const plain = text
    .trim()
    .replace(/^[−–]/, '-')
    .replace(/[\s,.'’_]/g, '')
  return /^[+-]?\d+$/.test(plain) ? Number(plain) : undefined
}
