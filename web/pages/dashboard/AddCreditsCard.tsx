import { type FormEvent, useState } from 'react'
import { purchaseCredits } from '../../../schema/api/checkout.ts'
import {
  creditPacks,
  creditPurchaseProblem,
  creditRate,
  creditsCostMinor,
  maximumPurchaseCredits,
  minimumPurchaseCredits,
  parseCreditsInput,
} from '../../../schema/catalogue/credits.ts'
import { defaultCurrency, formatMoney } from '../../../schema/catalogue/currency.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { failureText } from '../../api/failure.ts'
import { formatCredits } from '../../components/format.ts'
import { useHostedPage } from '../../components/useHostedPage.ts'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Field } from '../../ui/Field.tsx'
import { toast } from '../../ui/toast.ts'
import { CreditPack } from './CreditPack.tsx'

/** What is in the field. A number field does not reveal text that is no number, such as "1e": that is `unreadable`. */
type Amount = { kind: 'untouched' } | { kind: 'typed'; text: string } | { kind: 'unreadable' }

export function AddCreditsCard({ clerkUserId }: { clerkUserId: string }) {
  const [amount, setAmount] = useState<Amount>({ kind: 'untouched' })
  const purchase = usePurchase(clerkUserId)
  const credits = readAmount(amount)
  const problem = creditPurchaseProblem(credits)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (typeof credits !== 'number' || problem) {
      setAmount((current) => (current.kind === 'untouched' ? { kind: 'typed', text: '' } : current))
      return
    }
    purchase.open(credits)
  }

  return (
    <Card
      id="add-credits"
      aria-labelledby="add-credits-title"
      className="scroll-mt-20 lg:col-span-2 lg:self-start"
    >
      <CardHeader
        id="add-credits-title"
        title="Add Credits"
        description={`${creditRate.credits} credits for ${formatMoney(creditRate.amount_minor, defaultCurrency)}`}
      />
      <form noValidate onSubmit={submit} className="px-5 pt-4 pb-5 sm:px-6 sm:pb-6">
        <fieldset disabled={purchase.processing} className="mb-5 grid grid-cols-3 gap-2">
          <legend className="sr-only">Quick select</legend>
          {creditPacks.map((pack) => (
            <CreditPack
              key={pack.credits}
              {...pack}
              selected={credits === pack.credits}
              onSelect={() => setAmount({ kind: 'typed', text: String(pack.credits) })}
            />
          ))}
        </fieldset>
        <Field
          label="Number of credits"
          type="number"
          inputMode="numeric"
          step={1}
          min={minimumPurchaseCredits}
          max={maximumPurchaseCredits}
          unit="credits"
          placeholder="500"
          disabled={purchase.processing}
          value={amount.kind === 'typed' ? amount.text : ''}
          // Not onChange, which React does not call while the field's value stays empty, as it does for "1e".
          onInput={({ currentTarget: { value, validity } }) =>
            setAmount(validity.badInput ? { kind: 'unreadable' } : { kind: 'typed', text: value })
          }
          problem={amount.kind === 'untouched' ? null : problem}
          hint={
            typeof credits === 'number' && !problem ? (
              <span className="tabular-nums">
                Cost: <strong className="font-semibold text-ink">{cost(credits)}</strong>
              </span>
            ) : (
              `Between ${formatCredits(minimumPurchaseCredits)} and ${formatCredits(maximumPurchaseCredits)} credits`
            )
          }
        />
        <Button
          type="submit"
          size="large"
          className="mt-3 w-full"
          busy={purchase.processing}
          disabled={purchase.processing || problem !== null}
        >
          {purchase.processing ? 'Processing...' : 'Add Credits'}
        </Button>
        <p className="mt-3 text-center text-faint text-xs">
          You will pay on our payment provider’s secure page.
        </p>
      </form>
    </Card>
  )
}

/** Starts a credit purchase and sends the browser to the payment page. */
function usePurchase(clerkUserId: string) {
  const api = useApi()
  return useHostedPage({
    mutationFn: (credits: number) =>
      api(purchaseCredits, {
        body: { clerkUserId, credits, amount: creditsCostMinor(credits) / 100, currency: defaultCurrency },
      }),
    onError: (error) =>
      toast.error('Error', { description: failureText(error, 'Failed to process credit addition') }),
  })
}

function readAmount(amount: Amount): number | '' {
  if (amount.kind === 'typed') return parseCreditsInput(amount.text)
  return amount.kind === 'untouched' ? '' : Number.NaN
}

function cost(credits: number): string {
  return formatMoney(creditsCostMinor(credits), defaultCurrency)
}
