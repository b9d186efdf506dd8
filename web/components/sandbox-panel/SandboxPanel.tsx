import { Check, Copy, FlaskConical, X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type ReactNode, type RefObject, useState } from 'react'
import { readerLocales } from '../../reader.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { useCopied } from '../useCopied.ts'
import { DeliveryKnob, FaultKnobs } from './Knobs.tsx'
import { type KnobProps, useSandbox } from './useSandbox.ts'

/** One of Stripe's test cards for each outcome. https://docs.stripe.com/testing */
const testCards = [
  { number: '4242 4242 4242 4242', effect: 'Pays' },
  { number: '4000 0000 0000 0002', effect: 'Is declined' },
  { number: '4000 0000 0000 9995', effect: 'Has too little money' },
  { number: '4000 0000 0000 0341', effect: 'Pays now, fails at renewal' },
  { number: '4000 0000 0000 0259', effect: 'Pays, then is disputed' },
]

interface SandboxPanelProps {
  /** Gets the focus back on close. */
  opener: RefObject<HTMLElement | null>
  onClose: () => void
}

/** Codes, cards, the clock and faults for trying the product without real money. */
export function SandboxPanel({ opener, onClose }: SandboxPanelProps) {
  const { state, isFailed, busy, turn, signInAs } = useSandbox()
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade-in bg-black/45" />
        <Dialog.Content
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            opener.current?.focus()
          }}
          className="fixed inset-y-0 right-0 z-50 flex w-full max-w-md animate-fade-in flex-col border-l bg-canvas shadow-float outline-none"
        >
          <div className="flex items-start justify-between gap-4 border-b px-5 py-4">
            <div>
              <Dialog.Title className="flex items-center gap-2 font-semibold text-lg">
                <FlaskConical aria-hidden="true" className="size-4.5 text-caution" />
                Sandbox
              </Dialog.Title>
              <Dialog.Description className="mt-0.5 text-muted text-sm">
                Payments and sign-in are simulated. No real money is charged.
              </Dialog.Description>
            </div>
            <Dialog.Close asChild>
              <Button variant="quiet" size="icon" aria-label="Close">
                <X aria-hidden="true" />
              </Button>
            </Dialog.Close>
          </div>
          <div className="flex-1 divide-y divide-line overflow-y-auto px-5">
            {isFailed && (
              <div className="py-4">
                <Alert tone="critical" title="The sandbox did not do that">
                  Is it still running? Nothing else has changed.
                </Alert>
              </div>
            )}
            {state?.clerk !== null && (
              <Part
                title="Sign in"
                text="As one of these people, or sign up with any email address and this code."
              >
                <div className="flex flex-wrap gap-1.5">
                  {state?.clerk.people.map((person) => (
                    <Button
                      key={person.email}
                      variant="secondary"
                      size="small"
                      title={person.email}
                      onClick={() => void signInAs(person)}
                    >
                      {person.name}
                    </Button>
                  ))}
                </div>
                <CopyValue name="Verification code" value="424242" />
              </Part>
            )}
            {state?.stripe !== null && (
              <Part title="Test cards" text="With any date in the future and any CVC.">
                {testCards.map(({ number, effect }) => (
                  <CopyValue key={number} name={effect} value={number} />
                ))}
              </Part>
            )}
            {state?.stripe && (
              <>
                <Part
                  title="Clock"
                  text="Trials end, plans renew and invitations expire by this clock. It only moves forward."
                >
                  <SandboxClock now={state.stripe.now} isBusy={busy === 'stripe/clock/advance'} turn={turn} />
                </Part>
                <Part
                  title="Payment events"
                  text="How Stripe tells us about a payment. Credits arrive exactly once in every case."
                >
                  <DeliveryKnob stripe={state.stripe} isBusy={busy !== null} turn={turn} />
                </Part>
              </>
            )}
            {state && (
              <Part
                title="Failures"
                text="Make the next calls to Stripe, Clerk or a model fail, and see what the pages say."
              >
                <FaultKnobs state={state} isBusy={busy !== null} turn={turn} />
              </Part>
            )}
            {state && (
              <Part title="Mails" text="What customers are told by e-mail, the latest first.">
                {state.mails.map(({ to, subject, text }) => (
                  <details key={text} className="text-sm">
                    <summary>{subject}</summary>
                    <p className="whitespace-pre-line break-words py-2 text-muted">{`To: ${to}\n\n${text}`}</p>
                  </details>
                ))}
              </Part>
            )}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Part({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="py-5">
      <h3 className="font-semibold text-base">{title}</h3>
      <p className="mt-0.5 text-muted text-sm">{text}</p>
      <div className="mt-3 space-y-1.5">{children}</div>
    </section>
  )
}

function CopyValue({ name, value }: { name: string; value: string }) {
  const [isCopied, copy] = useCopied()
  return (
    <button
      type="button"
      aria-label={`Copy ${value} (${name})`}
      className="group flex w-full flex-wrap items-center justify-between gap-x-3 rounded-control border bg-surface px-3 py-2 text-left text-sm hover:bg-hover"
      onClick={() => void copy(value)}
    >
      <span className="text-muted">{name}</span>
      <span className="flex shrink-0 items-center gap-2 font-mono text-xs">
        {value}
        {isCopied ? (
          <Check aria-hidden="true" className="size-3.5 text-positive" />
        ) : (
          <Copy aria-hidden="true" className="size-3.5 text-faint group-hover:text-ink" />
        )}
      </span>
      <span aria-live="polite" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </button>
  )
}

/** Steps that add up: pressed twice they go twice as far. */
const steps = [
  { days: 1, label: '1 day' },
  { days: 15, label: '15 days' },
  { days: 31, label: '1 month' },
  { days: 366, label: '1 year' },
]

function SandboxClock({ now, isBusy, turn }: KnobProps & { now: string }) {
  const [hasMoved, setHasMoved] = useState(false)
  const advance = async (days: number) =>
    setHasMoved(await turn({ path: 'stripe/clock/advance', body: { days } }))
  return (
    <>
      <p aria-live="polite" className="text-sm">
        It is now <strong className="font-semibold">{formatMoment(now)}</strong>.{' '}
        {hasMoved && (
          <button
            type="button"
            className="text-accent-text underline underline-offset-4"
            onClick={() => window.location.reload()}
          >
            Reload to see what has changed
          </button>
        )}
      </p>
      <div className="flex flex-wrap gap-1.5 pt-1">
        {steps.map(({ days, label }) => (
          <Button
            key={days}
            variant="secondary"
            size="small"
            disabled={isBusy}
            onClick={() => void advance(days)}
          >
            +{label}
          </Button>
        ))}
      </div>
    </>
  )
}

function formatMoment(iso: string): string {
  return new Intl.DateTimeFormat(readerLocales, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(iso),
  )
}
