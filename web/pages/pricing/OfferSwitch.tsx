import type { Currency } from '../../../schema/catalogue/currency.ts'
import { type BillingFrequency, plans } from '../../../schema/catalogue/plans.ts'
import { CurrencySegments } from '../../components/CurrencySegments.tsx'
import { Segments } from '../../ui/Segments.tsx'

interface OfferSwitchProps {
  offer: { billing: BillingFrequency; currency: Currency; is_bound: boolean }
  onChange: (choice: { billing?: BillingFrequency; currency?: Currency }) => void
}

const { monthly, yearly } = plans.pro.price_minor
const savedPercent = Math.round(100 - (yearly / (12 * monthly)) * 100)

export function OfferSwitch({ offer, onChange }: OfferSwitchProps) {
  return (
    <div className="mt-9 flex flex-wrap items-center justify-center gap-3">
      <Segments
        label="Billing period"
        name="billing"
        value={offer.billing}
        onChange={(billing) => onChange({ billing })}
        options={[
          { value: 'monthly', label: 'Monthly' },
          {
            value: 'yearly',
            label: (
              <>
                Yearly{' '}
                <span className="rounded-full bg-positive-soft px-1.5 py-px font-medium text-positive text-xs">
                  Save {savedPercent}%
                </span>
              </>
            ),
          },
        ]}
      />
      {!offer.is_bound && (
        <CurrencySegments value={offer.currency} onChange={(currency) => onChange({ currency })} />
      )}
    </div>
  )
}
