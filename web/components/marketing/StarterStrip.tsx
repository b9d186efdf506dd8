import { creditRate } from '../../../schema/catalogue/credits.ts'
import { useSignedIn } from '../../auth/signedIn.ts'
import { useOffer, usePrice } from '../usePrice.ts'

/** The free plan, below the paid ones. */
export function StarterStrip() {
  const { currency } = useOffer()
  const signedIn = useSignedIn()
  const price = usePrice()
  return (
    <p className="mt-5 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-2xl border bg-sunken px-6 py-5 text-base sm:px-9">
      <span>
        <strong className="font-semibold">Starter is free.</strong>{' '}
        <span className="text-muted">
          Add {creditRate.credits} credits for {price(creditRate.amount_minor)} whenever you need them. They
          never expire.
        </span>
      </span>
      <a
        href={signedIn ? '/dashboard#add-credits' : `/sign-up?plan=starter&currency=${currency}`}
        className="font-medium text-accent-text underline-offset-4 hover:underline"
      >
        {signedIn ? 'Add credits' : 'Start for free'}
      </a>
    </p>
  )
}
