import { useId } from 'react'
import { type Currency, currencies } from '../../schema/catalogue/currency.ts'
import { Segments } from '../ui/Segments.tsx'

export function CurrencySegments(props: { value: Currency; onChange: (currency: Currency) => void }) {
  const options = currencies.map((currency) => ({ value: currency, label: currency }))
  return <Segments label="Currency" name={useId()} options={options} {...props} />
}
