import { type FormEvent, useEffect, useState } from 'react'
import {
  creditPacks,
  creditPurchaseProblem,
  creditsCostMinor,
  maximumPurchaseCredits,
  minimumPurchaseCredits,
} from '../../../schema/catalogue/credits.ts'
import { type Currency, defaultCurrency } from '../../../schema/catalogue/currency.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'
import { AgreementNote } from '../AgreementNote.tsx'
import { formatCredits, formatMoney } from '../format.ts'
import { AmountInput, amountFormat } from './AmountInput.tsx'
import { CreditPack } from './CreditPack.tsx'
import { type CreditsPayer, useCreditPurchase } from './useCreditPurchase.ts'
import { offlineText, useOnline } from './useOnline.ts'

interface BuyCreditsProps {
  payer: CreditsPayer
  packs?: readonly { credits: number; popular: boolean }[]
  currency?: Currency
}

/** Packs, an amount of one's own, and a button that leads to the payment page. */
export function BuyCredits({ payer, packs = creditPacks, currency = defaultCurrency }: BuyCreditsProps) {
  const [text, setText] = useState('')
  // An untouched field shows no error.
  const [touched, setTouched] = useState(false)
  const purchase = useCreditPurchase(payer, currency)
  const online = useOnline()
  const credits = amountFormat.parse(text)
  const problem = creditPurchaseProblem(credits)
  const cost =
    typeof credits === 'number' && !problem ? formatMoney(creditsCostMinor(credits), currency) : null

  function enter(next: string): void {
    setText(next)
    setTouched(true)
  }

  function submit(event?: FormEvent): void {
    event?.preventDefault()
    setTouched(true)
    if (typeof credits === 'number' && !problem) purchase.open(credits)
    else if (payer.kind === 'organization') {
      toast.error('Invalid Amount', { description: 'Please enter a valid number of credits.' })
    }
  }

  return (
    <form noValidate onSubmit={submit}>
      <fieldset disabled={purchase.processing} className="mb-5 grid grid-cols-3 gap-2">
        <legend className="sr-only">Quick select</legend>
        {packs.map((pack) => (
          <CreditPack
            key={pack.credits}
            {...pack}
            currency={currency}
            selected={credits === pack.credits}
            onSelect={() => enter(amountFormat.format(pack.credits))}
          />
        ))}
      </fieldset>
      <AmountInput
        label="Number of credits"
        value={text}
        onChange={enter}
        onEnter={submit}
        disabled={purchase.processing}
        problem={touched ? problem : null}
        hint={
          cost ? (
            <span className="tabular-nums">
              Cost: <strong className="font-semibold text-ink">{cost}</strong>
            </span>
          ) : (
            `Between ${formatCredits(minimumPurchaseCredits)} and ${formatCredits(maximumPurchaseCredits)} credits`
          )
        }
      />
      <Button
        type="submit"
        size="large"
        className="mt-3 w-full tabular-nums"
        busy={purchase.processing}
        disabled={purchase.processing || problem !== null}
      >
        <ButtonText processing={purchase.processing} cost={cost} />
      </Button>
      <div className="mt-3 min-h-5">
        {online ? (
          <PaymentNote processing={purchase.processing} />
        ) : (
          <Alert tone="caution">{offlineText}</Alert>
        )}
      </div>
      <AgreementNote when="By continuing to payment" documents={['/terms', '/refunds']} />
    </form>
  )
}

/** The purpose first, which is also the accessible name, then the consequence. */
function ButtonText({ processing, cost }: { processing: boolean; cost: string | null }) {
  if (processing) return 'Processing...'
  if (!cost) return 'Add Credits'
  return (
    <>
      <span className="sr-only">Add Credits: </span>
      <span>Continue to payment · {cost}</span>
    </>
  )
}

const slowAfterMs = 4000

function PaymentNote({ processing }: { processing: boolean }) {
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
    <p role="status" className="text-center text-faint text-xs leading-5">
      {slow
        ? 'This takes longer than usual. Nothing is charged before you pay on the next page.'
        : 'You will pay on our payment provider’s secure page.'}
    </p>
  )
}
