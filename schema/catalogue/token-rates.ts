/** Credits for a million tokens of each sort: whole numbers, 0 to 10,000,000. */
export interface TokenRates {
  readonly input: number
  readonly output: number
  /** Of a prompt that the model reads from its cache, and that it writes there. */
  readonly cache_read: number
  readonly cache_write: number
}

/** How many tokens of each sort a request took. */
export type Tokens = { readonly [Sort in keyof TokenRates]?: number | undefined }

/** Made up: ten tokens of an answer cost a credit. */
const sample: TokenRates = { input: 20_000, output: 100_000, cache_read: 2_000, cache_write: 25_000 }

/** The models whose usage services of the operator may report by tokens. A hold keeps the rates of its day. */
const rateCard: Readonly<Record<string, TokenRates>> = {
  'sample-small': sample,
  'sample-large': sample,
  'sample-down': sample,
}

/** The rates of a model; undefined for one that has none. */
export function ratesOf(model: string | undefined): TokenRates | undefined {
  return model !== undefined && Object.hasOwn(rateCard, model) ? rateCard[model] : undefined
}

/** What tokens cost, in thousandths of a credit, rounded up once for the whole request. */
export function costOf(tokens: Tokens, rates: TokenRates): number {
  const sum =
    (tokens.input ?? 0) * rates.input +
    (tokens.output ?? 0) * rates.output +
    (tokens.cache_read ?? 0) * rates.cache_read +
    (tokens.cache_write ?? 0) * rates.cache_write
  return Math.ceil(sum / 1000)
}
