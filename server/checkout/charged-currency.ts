import type { Currency } from '../../schema/catalogue/currency.ts'
import { chooseCurrency, findCurrency } from '../../schema/customers/currency.ts'
import type { Database } from '../../schema/database/connect.ts'
import type { Owner } from '../../schema/ledger/accounts.ts'
import { currencyBound } from '../errors.ts'

/**
 * What a purchase is charged in. A request that names a currency shows what its buyer saw, so it is either
 * theirs from now on or refused; without one it is the payer's.
 */
export async function chargedCurrency(
  db: Database,
  owner: Owner,
  asked: Currency | undefined,
): Promise<Currency> {
  const { code } = asked ? await chooseCurrency(db, owner, asked) : await findCurrency(db, owner)
  if (asked && asked !== code) throw currencyBound(code)
  return code
}
