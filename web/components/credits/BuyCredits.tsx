import { useQuery } from '@tanstack/react-query'
import {
  type FormEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Card } from '../../../schema/api/account.ts'
import {
  creditPacks,
  creditPurchaseProblem,
  creditsCostMinor,
  preselectedPack,
} from '../../../schema/catalogue/credits.ts'
import type { Currency } from '../../../schema/catalogue/currency.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { offeredCardQuery, type PayerView } from '../../api/account.ts'
import { readerLocales } from '../../reader.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { toast } from '../../ui/toast.ts'
import { AgreementNote } from '../AgreementNote.tsx'
import { cardName } from '../account/card.ts'
import { formatCredits, formatMoney } from '../format.ts'
import { type AmountEdit, createAmountFormat } from './amountText.ts'
import { type PurchasePage, useChosenAmount, useCreditPurchase } from './useCreditPurchase.ts'

interface BuyCreditsProps {
  payer: PayerView
  from: PurchasePage
  currency: Currency
}

/** Packs, an amount of one's own, and a button that leads to the payment page: the same on every page. */
export function BuyCredits({ payer, from, currency }: BuyCreditsProps) {
  const isPersonal = payer.payer === 'personal'
  const [text, setText] = useChosenAmount(
    isPersonal ? payer.userId : payer.payer,
    amountFormat.format(preselectedPack.credits),
  )
  const purchase = useCreditPurchase({ payer, from, currency })
  const card = useQuery(offeredCardQuery(useApi(), payer)).data?.card ?? null
  const online = useOnline()
  const credits = amountFormat.parse(text)
  const problem = creditPurchaseProblem(credits)
  const cost =
    typeof credits === 'number' && !problem ? formatMoney(creditsCostMinor(credits), currency) : null

  function submit(event?: FormEvent): void {
    event?.preventDefault()
    if (typeof credits === 'number' && !problem) purchase.open(credits)
    else if (!isPersonal) {
      toast.error('Invalid Amount', { description: 'Please enter a valid number of credits.' })
    }
  }

  return (
    <form noValidate onSubmit={submit}>
      <fieldset disabled={purchase.processing} className="mb-5 grid grid-cols-3 gap-2">
        <legend className="sr-only">Quick select</legend>
        {creditPacks.map((pack) => (
          <CreditPack
            key={pack.credits}
            {...pack}
            currency={currency}
            selected={credits === pack.credits}
            onSelect={() => setText(amountFormat.format(pack.credits))}
          />
        ))}
      </fieldset>
      <AmountInput
        label="Number of credits"
        value={text}
        onChange={setText}
        onEnter={submit}
        disabled={purchase.processing}
        problem={problem}
        hint={
          <span className="tabular-nums">
            Cost: <strong className="font-semibold text-ink">{cost}</strong>
          </span>
        }
      />
      <Button
        type="submit"
        size="large"
        className="mt-3 w-full tabular-nums"
        busy={purchase.processing}
        disabled={problem !== null}
      >
        {purchase.processing ? 'Processing...' : cost ? `Add Credits · ${cost}` : 'Add Credits'}
      </Button>
      <div className="mt-3 min-h-5">
        {online ? (
          <PaymentNote processing={purchase.processing} card={card} />
        ) : (
          <Alert tone="caution">{offlineText}</Alert>
        )}
      </div>
      <AgreementNote when="By continuing to payment" documents={['/terms', '/refunds']} />
    </form>
  )
}

interface CreditPackProps {
  credits: number
  popular: boolean
  currency: Currency
  selected: boolean
  onSelect: () => void
}

function CreditPack({ credits, popular, currency, selected, onSelect }: CreditPackProps) {
  const price = formatMoney(creditsCostMinor(credits), currency)
  return (
    <button
      type="button"
      aria-pressed={selected}
      onClick={onSelect}
      className="relative rounded-control border border-line-strong bg-surface px-1 pt-3.5 pb-3 text-center tabular-nums transition-colors hover:bg-hover disabled:cursor-not-allowed disabled:opacity-50 aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:ring-1 aria-pressed:ring-accent"
    >
      <span className="sr-only">
        {formatCredits(credits)} credits for {price}
        {popular && ', popular'}
      </span>
      <span aria-hidden="true" className="block font-semibold text-base leading-5">
        {formatCredits(credits)}
      </span>
      <span aria-hidden="true" className="block text-muted text-xs leading-4">
        {price}
      </span>
      {popular && (
        <span
          aria-hidden="true"
          className="-top-2 -translate-x-1/2 absolute left-1/2 rounded-full bg-accent px-1.5 font-semibold text-2xs text-on-accent leading-4"
        >
          Popular
        </span>
      )}
    </button>
  )
}

const slowAfterMs = 4000

interface PaymentNoteProps {
  processing: boolean
  /** The one with which the payment page begins; null when it asks for one. */
  card: Card | null
}

function PaymentNote({ processing, card }: PaymentNoteProps) {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (!processing) return
    const timer = setTimeout(() => setSlow(true), slowAfterMs)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [processing])
  return (
    <p className="text-center text-faint text-xs leading-5">
      {!slow &&
        (card
          ? `You confirm with ${cardName(card)} on the payment page.`
          : 'You will pay on our payment provider’s secure page.')}
      <span role="status">
        {slow && 'This takes longer than usual. Nothing is charged before you pay on the next page.'}
      </span>
    </p>
  )
}

const offlineText =
  'You are offline. Nothing was charged. Your amount stays here until you are connected again.'

/** Whether the browser believes that it has a connection. */
function useOnline(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  )
}

function subscribe(notify: () => void): () => void {
  window.addEventListener('online', notify)
  window.addEventListener('offline', notify)
  return () => {
    window.removeEventListener('online', notify)
    window.removeEventListener('offline', notify)
  }
}

export const amountFormat = createAmountFormat(readerLocales)

interface AmountInputProps {
  label: string
  value: string
  onChange: (text: string) => void
  onEnter: () => void
  problem: string | null
  hint: ReactNode
  disabled: boolean
}

/**
 * A text field for a whole number, grouped while it is typed. Not `type="number"`: that changes by the mouse
 * wheel, takes `1e3` for a thousand and reads `1.000` as one wherever the browser's language is not the
 * page's.
 */
export function AmountInput({ value, onChange, onEnter, ...field }: AmountInputProps) {
  const input = useRef<HTMLInputElement>(null)
  const [caret, setCaret] = useState<{ at: number } | null>(null)
  // After React has set the value, which moves the caret to the end.
  useLayoutEffect(() => {
    if (caret && document.activeElement === input.current) {
      input.current?.setSelectionRange(caret.at, caret.at)
    }
  }, [caret])

  function take(edit: AmountEdit): void {
    const next = amountFormat.edit(value, edit)
    onChange(next.text)
    setCaret({ at: next.caret })
  }

  return (
    <Field
      ref={input}
      type="text"
      unit="credits"
      value={value}
      onChange={({ currentTarget, nativeEvent }) => {
        const { value: text, selectionStart } = currentTarget
        const event = nativeEvent as InputEvent
        // While characters are being composed, as for Japanese, the text is the input method's.
        if (event.isComposing) return onChange(text)
        take({ text, caret: selectionStart ?? text.length, ...editOf(event) })
      }}
      onCompositionEnd={({ currentTarget: { value: text, selectionStart } }) =>
        take({ text, caret: selectionStart ?? text.length })
      }
      // A form whose button is disabled is not submitted by Enter, so the field says it itself.
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
        event.preventDefault()
        onEnter()
      }}
      {...field}
    />
  )
}

function editOf({ inputType = '', data }: InputEvent): Pick<AmountEdit, 'typed' | 'deleted'> {
  if (inputType.startsWith('delete')) return { deleted: inputType.includes('Forward') ? 'forward' : 'back' }
  return inputType === 'insertText' ? { typed: data } : {}
}
