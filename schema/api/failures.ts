import * as z from 'zod/mini'

type None = Record<string, never>
type Texts<Names extends string> = Readonly<Record<Names, string>>

/** What something lacks, in a sentence that begins with `It has no`. */
type Lacking =
  | (
      | 'account'
      | 'buyer'
      | 'change_of_card'
      | 'charge'
      | 'organization'
      | 'owner'
      | 'payment'
      | 'payment_page'
    )
  | (
      | 'payment_of_that_size'
      | 'plan'
      | 'recipient'
      | 'renewal'
      | 'session'
      | 'subscription'
      | 'token_or_session'
      | 'waiting_change'
    )

/**
 * Why something failed, was ignored or had nothing to do: each code with its figures, which are ids, states and
 * what a vendor says, as it says it. The words are in `web/content/support/failures.ts`.
 */
export interface Failures
  // Of Stripe, Clerk and the database.
  extends Record<'stripe_away' | 'clerk_away' | 'database_away', None>,
    Record<'stripe_refuses' | 'stripe_refuses_key' | 'unknown_format', Texts<'says'>>,
    Record<'clerk_refuses', Texts<'code'>>,
    Record<'mail_unwanted', None>,
    Record<'mail_refused', Readonly<Record<'code', number>>>,
    Record<'contradicts_known', Texts<'rule'>>,
    Record<'given_up', Texts<'reason'> & Readonly<Record<'attempts', number>>>,
    Record<'contact_refused' | 'not_finalized_sooner', Texts<'reason'>>,
    // Of events, checkouts, plans and charges.
    Record<'card_stays' | 'done_already' | 'nothing_paid' | 'paid_already' | 'payment_failed', None>,
    Record<'payload_removed' | 'trial_used', None>,
    Record<'differs', Texts<'id' | 'expected' | 'found'> & { readonly in: Differing }>,
    Record<'ends_at_stripe', Texts<'ids'>>,
    Record<'goes_on' | 'not_one_plan' | 'not_sold', Texts<'id'>>,
    Record<'has_state', Texts<'what' | 'state'>>,
    Record<'lacks', { readonly what: Lacking }>,
    // Of an invitation that was not sent by us.
    Record<'not_adopted', { readonly why: 'over' | 'no_subscription' | 'no_free_seat' | 'address_has_seat' }>,
    Record<'not_found', Texts<'what' | 'id'>>,
    Record<'not_handled', Texts<'type'>>,
    Record<'other_mode', Readonly<Record<'its' | 'ours', 'live' | 'test'>>>,
    Record<'second_one', Texts<'of' | 'id' | 'other_id'>>,
    // Of acts of support.
    Record<'approval_lapsed' | 'not_approved' | 'over_ceiling', None>,
    Record<'more_than_left', Texts<'asked' | 'left'>>,
    Record<'no_other_admin', Texts<'organization_id'>>,
    Record<'not_an_act', Texts<'kind' | 'target_kind'>>,
    Record<'not_on_staff' | 'own_account', Texts<'who'>>,
    Record<'under_way', Texts<'what' | 'ids'>>,
    Record<'unproved', Texts<'who' | 'step'> & { readonly by: 'audit_log' | 'session' }> {}

type Differing = 'currency' | 'kind' | 'plan' | 'price' | 'refunded' | 'trial_days'

export type FailureCode = keyof Failures
/** A code with its figures; without them where it has none. */
export type Failure = {
  [Code in FailureCode]: Failures[Code] extends None
    ? [code: Code, figures?: None]
    : [code: Code, figures: Failures[Code]]
}[FailureCode]

const figuresSchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))

/** As rows keep it: a code and its figures, `stripe_refuses {"says":"…"}`. */
export function failureOf(...[code, figures = {}]: Failure): string {
  return Object.keys(figures).length === 0 ? code : `${code} ${JSON.stringify(figures)}`
}

/** A sum of money as a figure: `7.00 EUR`. */
export function sumFigure(minor: number | null, currency: string | null): string {
  return minor === null || currency === null
    ? 'none'
    : `${(minor / 100).toFixed(2)} ${currency.toUpperCase()}`
}

/** Null for a text of another form: what a defect says, which is shown as it is. */
export function parseFailure(text: string): { code: string; figures: z.infer<typeof figuresSchema> } | null {
  const [, code, json] = /^([a-z]+(?:_[a-z]+)*)(?: (\{.*\}))?$/s.exec(text) ?? []
  if (!code) return null
  try {
    return { code, figures: figuresSchema.parse(JSON.parse(json ?? '{}')) }
  } catch {
    return null
  }
}
