import { creditsMax } from '../schema/api/spending.ts'
import { costOf, type TokenRates, type Tokens } from '../schema/catalogue/token-rates.ts'
import { invalidRequest, refusal } from './errors.ts'

interface Priced {
  /** Of the model; without them its tokens have no price. */
  readonly rates: TokenRates | null | undefined
  /** Null for an editor, which may not report tokens: it knows the prices of no model. */
  readonly operator_key_id: string | null
}

/** What a call says that a request cost: credits, or tokens, of which it is the price. */
export function costOfCall(
  { credits, tokens }: { readonly credits?: number | undefined; readonly tokens?: Tokens | undefined },
  priced: Priced,
) {
  return {
    credits: credits ?? 0,
    ...(credits === undefined && { cost_thousandths: priceOf(tokens, priced) }),
  }
}

/**
 * Thousandths of a credit, at most those of one call. Throws 422 where the tokens have no price, 400 where they
 * come from an editor, cost nothing or too much.
 */
export function priceOf(tokens: Tokens = {}, { rates, operator_key_id }: Priced): number {
  if (operator_key_id === null) throw wrong('tokens is for operator keys')
  if (!rates) throw refusal('unknown_model')
  const thousandths = costOf(tokens, rates)
  if (thousandths < 1 || thousandths > creditsMax * 1000)
    throw wrong(`tokens must cost at least a thousandth of a credit, and at most ${creditsMax} credits`)
  return thousandths
}

const wrong = (message: string) => invalidRequest(message, [{ path: 'tokens', message }])
