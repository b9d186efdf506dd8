import type { Currency } from '../../schema/catalogue/currency.ts'
import { readerLocales } from '../reader.ts'
import { useHydrated } from './useHydrated.ts'

/** Formats minor units as a price in the reader's own way, without ".00": `€20`, `20 €`. */
export function usePrice(currency: Currency): (amountMinor: number) => string {
  const locale = useHydrated() ? readerLocales : 'en-US'
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    trailingZeroDisplay: 'stripIfInteger',
  })
  return (amountMinor) => format.format(amountMinor / 100)
}
