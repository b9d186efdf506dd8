import { type FailureCode, type Failures, parseFailure } from '../../../schema/api/failures.ts'

const words: { readonly [Code in FailureCode]: (figures: Failures[Code]) => string } = {
  stripe_away: () => 'Stripe does not answer',
  stripe_refuses: ({ says }) => `Stripe refuses it: ${says}`,
  stripe_refuses_key: ({ says }) => `Stripe refuses our key: ${says}`,
  clerk_away: () => 'Clerk does not answer',
  clerk_refuses: ({ code }) => `Clerk refused: ${code}`,
  mail_unwanted: () =>
    'The recipient has no address, wants no such mail, or has nothing to do with it any more',
  mail_refused: ({ code }) => `The mail server refused it: ${code}`,
  database_away: () => 'The database does not answer',
  contradicts_known: ({ rule }) =>
    `What is known already contradicts it, for example as another owner’s: the rule ${rule} refuses it`,
  unknown_format: ({ says }) => `Unrecognized format: ${says}`,
  given_up: ({ attempts, reason }) => `Given up after ${attempts} attempts: ${reasonText(reason)}`,
  contact_refused: ({ reason }) => `The address or name at Stripe stays: ${reasonText(reason)}`,
  not_finalized_sooner: ({ reason }) => `The invoice waits its hour: ${reasonText(reason)}`,

  card_stays: () => 'The plan keeps its card: it is over, or has this card or a newer one',
  done_already: () => 'Everything that follows from it is there already',
  nothing_paid: () => 'Nothing has been paid for it with a card or an account',
  paid_already: () => 'It was paid, perhaps just now: replay it instead',
  payment_failed: () => 'The payment failed',
  payload_removed: () => 'What it said was deleted because of its age: sync its owner instead',
  trial_used: () => 'The free trial is given once, and was used meanwhile: nothing is charged',
  differs: ({ id, expected, found, ...its }) => `${id} has the ${plain(its.in)} ${found}, not ${expected}`,
  ends_at_stripe: ({ ids }) => `It ends at Stripe, without another invoice: ${ids}`,
  goes_on: ({ id }) => `${id} goes on`,
  not_one_plan: ({ id }) => `Not one item of ${id} is a plan, but none or several`,
  not_sold: ({ id }) => `${id} is nothing that we sold`,
  has_state: ({ what, state }) =>
    what === 'invitation' && state !== 'accepted'
      ? `The invitation is ${state}: an admin has to invite again`
      : `The ${what} is ${plain(state)}`,
  lacks: ({ what }) => `It has no ${plain(what)}`,
  not_adopted: ({ why }) => `It was sent from Clerk’s own settings, and has no seat: ${plain(why)}`,
  not_found: ({ what, id }) => `There is no ${what} ${id}`,
  not_handled: ({ type }) => `Nothing follows from this event of type ${type}`,
  other_mode: ({ its, ours }) => `It is one of ${its} mode; our key is one of ${ours} mode`,
  second_one: ({ of, id, other_id }) => `${of} has ${other_id}; ${id} is a second one`,

  approval_lapsed: () => 'It was approved more than a day ago, and has to be asked for again',
  not_approved: () => 'A second person has to agree to it',
  over_ceiling: () => 'It passes what may be done at once, or by all within a day',
  more_than_left: ({ asked, left }) => `It takes ${asked}, and ${left} are left`,
  no_other_admin: ({ organization_id }) =>
    `${organization_id} has a plan and no other admin: another member has to become one, or end the plan`,
  not_an_act: ({ kind, target_kind }) =>
    `The act ${kind} is none of the target ${target_kind}, or incomplete`,
  not_on_staff: ({ who }) => `${who} is not on the support staff any more`,
  own_account: ({ who }) => `${who} cannot have a part in it: it is their own account or organization`,
  under_way: ({ what, ids }) => `Their ${what} ${ids} is not over: end it first, or wait`,
  unproved: ({ who, step, by }) => `No ${plain(by)} proves that ${who} ${step} it`,
}

const plain = (name: string) => `${name}`.replaceAll('_', ' ')

/** Why something failed, in a sentence without a full stop; a text that is no code as it is. */
export function reasonText<Reason extends string | null>(reason: Reason): Reason | string {
  const known = reason === null ? null : parseFailure(reason)
  return (known && words[known.code as FailureCode]?.(known.figures as never)) ?? reason
}
