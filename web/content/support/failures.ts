import { type FailureFigures, parseFailure } from '../../../schema/api/failures.ts'

const words: Readonly<Record<string, (figures: FailureFigures) => string>> = {
  stripe_away: () => 'Stripe does not answer',
  stripe_refuses: ({ says }) => `Stripe refuses it: ${says}`,
  stripe_refuses_key: ({ says }) => `Stripe refuses our key: ${says}`,
  clerk_away: () => 'Clerk does not answer',
  clerk_refuses: ({ code }) => `Clerk refused: ${code}`,
  database_away: () => 'The database does not answer',
  contradicts_known: ({ rule }) =>
    `What is known already contradicts it, for example as another owner’s: the rule ${rule} refuses it`,
  unknown_format: ({ says }) => `Unrecognized format: ${says}`,
  given_up: ({ attempts, reason }) => `Given up after ${attempts} attempts: ${reasonText(String(reason))}`,
  contact_refused: ({ reason }) => `The address or name at Stripe stays: ${reasonText(String(reason))}`,
  not_finalized_sooner: ({ reason }) => `The invoice waits its hour: ${reasonText(String(reason))}`,
  payment_failed: () => 'The payment failed',
}

/** Why something failed, in a sentence without a full stop; a text that is no code as it is. */
export function reasonText<Reason extends string | null>(reason: Reason): Reason | string {
  const known = reason === null ? null : parseFailure(reason)
  return (known && words[known.code]?.(known.figures)) ?? reason
}
