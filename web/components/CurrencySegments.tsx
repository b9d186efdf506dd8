import { useId } from 'react'
import { type Currency, currencies } from '../../schema/catalogue/currency.ts'
import { Segments } from '../ui/Segments.tsx'

interface CurrencySegmentsProps {
  value: Currency
  onChange: (currency: Currency) => void
}

export function CurrencySegments(props: CurrencySegmentsProps) {
  const options = currencies.map((currency) => ({ value: currency, label: currency }))
  return <Segments label="Currency" name={useId()} options={options} {...props} />
}
