import { type FormEvent, type ReactNode, useState } from 'react'
import { type ActKind, adjustmentSchema } from '../../../../schema/api/support-acts.ts'
import type { RequestedActs } from '../../../api/support-acts.ts'
import { actWords, readMoney, refundReasonWords } from '../../../content/support/acts.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Select } from '../../../ui/Select.tsx'
import { formatMoney } from '../../format.ts'
import { counted } from '../labels.ts'
import { ActResults } from './ActResults.tsx'
import { ConfirmForm } from './ConfirmForm.tsx'
import { ActContext, type ActRequest } from './useAct.ts'

/** Preview, then reason and confirmation, then the outcome. Escape closes at any time. */
function ActDialog({ request, onClose }: { request: ActRequest; onClose: () => void }) {
  const { kind, subject, targets } = request
  const { name, description } = actWords[kind]
  const Form = forms[kind]
  const [params, setParams] = useState<ActRequest['params']>(request.params ?? {})
  const [isPreviewed, setIsPreviewed] = useState(!Form)
  const [started, setStarted] = useState<RequestedActs>()
  return (
    <Dialog
      wide
      onClose={onClose}
      title={`${name}: ${targets.length === 1 ? subject : counted(targets.length, 'item')}`}
      description={description}
    >
      {started ? (
        <ActResults started={started} onClose={onClose} onDone={request.onDone} />
      ) : Form && !isPreviewed ? (
        <Form
          initial={params}
          asked={request.params}
          onPreview={(next) => {
            setParams(next)
            setIsPreviewed(true)
          }}
        />
      ) : (
        <ConfirmForm
          {...{ kind, targets, params, onClose }}
          onBack={Form && (() => setIsPreviewed(false))}
          onStarted={setStarted}
        />
      )}
    </Dialog>
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
  /** What the dialog was opened with. */
  asked: ActRequest['params']
  onPreview: (params: ActRequest['params']) => void
}

/** Of acts that have to be told more than their target. */
const forms: Readonly<Partial<Record<ActKind, (props: FormProps) => ReactNode>>> = {
  adjust: AdjustForm,
  refund: RefundForm,
}

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

function RefundForm({ initial, asked, onPreview }: FormProps) {
  const left = asked?.refund
  const chosen = initial?.refund
  const [amount, setAmount] = useState(((chosen?.amount_minor ?? 0) / 100).toFixed(2))
  const [reason, setReason] = useState<keyof typeof refundReasonWords>(chosen?.stripe_reason ?? 'none')
  const [checked, setChecked] = useState(false)
  if (!left) return null
  const amount_minor = readMoney(amount)
  const isPossible = amount_minor !== undefined && amount_minor > 0 && amount_minor <= left.amount_minor
  const most = formatMoney(left.amount_minor, left.currency)

  function submit(event: FormEvent) {
    event.preventDefault()
    setChecked(true)
    const stripe_reason = reason === 'none' ? null : reason
    if (left && isPossible) onPreview({ refund: { ...left, amount_minor, stripe_reason } })
  }

  return (
    <form noValidate onSubmit={submit}>
      <Field
        label="Amount"
        unit={left.currency}
        inputMode="decimal"
        value={amount}
        problem={checked && !isPossible ? `Enter an amount of at most ${most}` : null}
        hint={`Up to ${most} can be refunded.`}
        onChange={({ target }) => setAmount(target.value)}
      />
      <p className="mt-2 mb-1.5 font-medium text-sm">Reason at Stripe</p>
      <Select
        label="Reason at Stripe"
        value={reason}
        options={Object.entries(refundReasonWords) as [typeof reason, string][]}
        onChange={setReason}
      />
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
