import type { z } from 'zod/mini'
import { type FindingData, type FindingKind, findingData } from '../../../schema/api/findings.ts'
import type { Repair } from '../../../schema/api/reconciliation.ts'
import { reasonText } from './failures.ts'
import { unknownForm } from './timeline.ts'
import { capitalized, creditsText, dayText, momentText, moneyText, seatsText, sentence } from './words.ts'

interface FindingText {
  /** Without a full stop, e.g. `A paid checkout of 500 credits is not settled`. */
  readonly sentence: string
  /** The statements of Stripe, Clerk or the facts, and of our database. */
  readonly they_say: string
  readonly we_have: string
  /** Why the act repairs it, or what a person has to decide. */
  readonly advice: string
}

interface Found {
  readonly object_id: string
  readonly credits: number | null
  readonly repair: Repair | null
}

interface FindingWords<Kind extends FindingKind> {
  readonly name: string
  describe(data: FindingData<Kind>, found: Found): FindingText
}

const resync = 'A resync posts what the facts say and the ledger lacks.'
const advice = 'A resync asks Clerk about everybody in the organization, and makes the seats agree.'
const noMoreInvoices = 'Cancelling it ends it at Stripe without another invoice.'

const words: { readonly [Kind in FindingKind]: FindingWords<Kind> } = {
  session_not_settled: {
    name: 'Paid, not settled here',
    describe: ({ is_plan, payment_status, paid, ...known }, { object_id, credits }) => ({
      sentence: `${is_plan ? 'A paid plan' : `A paid checkout of ${credits ?? 'unknown'} credits`} is not settled`,
      they_say: `Checkout ${object_id} is ${payment_status}${paid ? `: ${money(paid)}` : ''}.`,
      we_have: sentence(
        `Checkout ${known.intent_id} is ${known.state ?? 'not known to us'}${because(known.reason)}`,
      ),
      advice:
        known.state === null
          ? 'There is no such checkout in our database. After a restore `npm run restore:checkouts` writes it again; otherwise refund it at Stripe.'
          : known.other_session_id
            ? `The checkout belongs to ${known.other_session_id}: this payment is a second one, to be refunded at Stripe.`
            : known.promised
              ? `It says ${money(known.promised)}, and Stripe took another amount: refund it at Stripe, or adjust the credits.`
              : 'A replay of the checkout fetches its session and settles it.',
    }),
  },
  settled_without_payment: {
    name: 'Settled here, not paid',
    describe: ({ intent_id, status, payment_status }, { object_id, credits }) => ({
      sentence: `${creditsText(credits)} were granted for a checkout that is not paid`,
      they_say: `Checkout ${object_id} is ${status}, its payment ${payment_status}.`,
      we_have: `Checkout ${intent_id} is settled.`,
      advice: 'No event brings credits without a payment: find out who could write to the database.',
    }),
  },
  invoice_unknown: {
    name: 'Paid invoice missing here',
    describe: ({ total }, { object_id }) => ({
      sentence: 'An invoice of a plan is paid, and what it paid for is missing',
      they_say: `Invoice ${object_id} is paid: ${money(total)}.`,
      we_have: `Nothing that was paid with invoice ${object_id}.`,
      advice: 'A replay of the subscription fetches all its paid invoices.',
    }),
  },
  invoice_differs: {
    name: 'Invoice differs',
    describe: ({ total, known_minor }, { object_id }) => ({
      sentence: 'An invoice of a plan was paid with another total than we know',
      they_say: `Invoice ${object_id} is paid: ${money(total)}.`,
      we_have: `Its lines say that it cost ${moneyText(known_minor, total.currency)}.`,
      advice:
        'A paid invoice does not change at Stripe. Compare its lines there with ours, and adjust the credits.',
    }),
  },
  refund_differs: { name: 'Refund differs', describe: moneyBack('given back') },
  dispute_differs: { name: 'Dispute differs', describe: moneyBack('held by disputes') },
  subscription_unknown: {
    name: 'Subscription missing here',
    describe: ({ status, second_to, intent_id, intent_state }, { object_id, repair }) => ({
      sentence: second_to
        ? `A second plan is ${status} at Stripe, and not known to us`
        : `A plan that is ${status} at Stripe is not known to us`,
      they_say: `Subscription ${object_id} is ${status}.`,
      we_have: second_to
        ? `Their plan is ${second_to}.`
        : intent_id
          ? `Its checkout ${intent_id} is ${intent_state}.`
          : 'Neither it nor its checkout is known to us.',
      advice: second_to
        ? `${noMoreInvoices} Refund there what it has taken.`
        : !repair
          ? 'Cancel and refund it at Stripe, or restore its checkout from a backup.'
          : repair.target.kind === 'intent'
            ? 'A replay of the checkout fetches its session and the subscription.'
            : 'A replay of the subscription fetches and applies it.',
    }),
  },
  subscription_differs: {
    name: 'Subscription differs',
    describe({ fields, failure }, { object_id }) {
      const listed = (one: (field: (typeof fields)[number]) => string | null) =>
        fields.map((field) => `${field.field.replaceAll('_', ' ')}${one(field)}`).join(', ')
      return {
        sentence: `A plan differs in ${listed(() => '')}`,
        they_say: `Subscription ${object_id}: ${listed(({ there }) => ` ${there ?? 'never'}`)}.`,
        we_have: `${listed(({ here }) => ` ${here ?? 'never'}`)}.`,
        advice: failure
          ? sentence(`A replay fetches it again; the last one failed${because(failure)}`)
          : 'A replay fetches the subscription again.',
      }
    },
  },
  subscription_plan_differs: {
    name: 'Charged as another plan',
    describe: ({ there, here }, { object_id }) => ({
      sentence: `A plan was bought as ${here}, and is charged as ${there}`,
      they_say: `The price of subscription ${object_id} is one of the plan ${there}.`,
      we_have: `It is one of the plan ${here}.`,
      advice:
        'Change its price back at Stripe, and replay it. Who wants another plan cancels this one and buys the other: seats and owner belong to the plan.',
    }),
  },
  subscription_gone: {
    name: 'Subscription missing at Stripe',
    describe: ({ status, plan, interval, seats, failure }, { object_id }) => ({
      sentence: `A plan that is ${status} here is not known to Stripe`,
      they_say: `There is no subscription ${object_id}.`,
      we_have: `It is ${status}: ${plan}, ${interval}, ${seatsText(seats)}. ${lastTry(failure)}`,
      advice:
        'Stripe deletes no subscription. Look first whether our key is one of the account that sold it. If it is, no customer pays for this plan: find out who wrote the row, and sell the customer a new plan, or take its credits back.',
    }),
  },
  subscription_untaxed: {
    name: 'Plan without tax',
    describe: (_, { object_id }) => ({
      sentence: 'The tax of a plan cannot be worked out',
      they_say: `Subscription ${object_id} has its tax switched off, or its invoice waits: the customer has no address.`,
      we_have: 'Its customer is asked for one on the billing page.',
      advice:
        'Add the address to the customer in Stripe’s dashboard. A replay then switches the tax on; an invoice that has gone out without it is corrected there by a credit note.',
    }),
  },
  owner_gone: {
    name: 'Owner of a plan missing at Clerk',
    describe: ({ owner_id, status, failure }, { object_id }) => ({
      sentence: 'A plan is charged, and its owner does not exist any more',
      they_say: `Clerk does not have ${owner_id}.`,
      we_have: `Subscription ${object_id} is ${status}. ${lastTry(failure)}`.trim(),
      advice: `${noMoreInvoices} When it is found of every owner, our key is one of another instance of Clerk: correct the key.`,
    }),
  },
  organization_without_admin: {
    name: 'Organization without an admin',
    describe: ({ members, subscription_id, cancel_at }, { object_id }) => ({
      sentence: 'An organization has a plan and no admin',
      they_say: `None of the ${members} members of ${object_id} is an admin.`,
      we_have: `Subscription ${subscription_id} ${cancel_at ? `ends on ${dayText(cancel_at)}` : 'is to be renewed'}.`,
      advice: 'Make a member an admin in Clerk’s dashboard: the plan, which ends otherwise, goes on then.',
    }),
  },
  seat_without_membership: {
    name: 'Seat without a member',
    describe: ({ organization_id, user_id, here, seats }) =>
      user_id === null
        ? {
            sentence: `${seatsText(seats)} are held in an organization that Clerk does not know`,
            they_say: `There is no organization ${organization_id}.`,
            we_have: `${seats} of its seats are in use or reserved.`,
            advice,
          }
        : {
            sentence: 'A seat is in use by a person who is not a member of the organization',
            they_say: `${user_id} is not a member of ${organization_id}.`,
            we_have: `Their seat is active, as ${here}.`,
            advice,
          },
  },
  membership_without_seat: {
    name: 'Member without the seat',
    describe: ({ organization_id, user_id, there, here, is_reserved }) => ({
      sentence: is_reserved
        ? 'A member of an organization waits for a seat that is reserved for them'
        : 'A member of an organization is not known to us',
      they_say: `${user_id} is ${there} of ${organization_id}.`,
      we_have: is_reserved
        ? 'Their seat is pending.'
        : `As far as we know they are ${here ?? 'not a member'}, and have no seat.`,
      advice,
    }),
  },
  seat_role_differs: {
    name: 'Role of a seat differs',
    describe: ({ organization_id, user_id, there, here }) => ({
      sentence: 'The role of a seat is not the role of its member',
      they_say: `${user_id} is ${there} of ${organization_id}.`,
      we_have: `Their seat is that of ${here}.`,
      advice,
    }),
  },
  member_limit_differs: {
    name: 'Limit of members differs',
    describe: ({ at_clerk, seats_total, limit }, { object_id }) => ({
      sentence: 'Clerk lets another number of people into an organization than have seats',
      they_say: `${object_id.split('/')[0]} may have ${at_clerk || 'any number of'} members.`,
      we_have: `With ${seatsText(seats_total)} it should have room for ${limit}.`,
      advice,
    }),
  },
  credits_missing: {
    name: 'Credits missing',
    describe: ({ paid_session_id, ...books }, found) =>
      paid_session_id
        ? {
            sentence: `${creditsText(found.credits)} of a settled checkout were never granted`,
            they_say: `Checkout ${paid_session_id} is paid.`,
            we_have: 'It is settled, and the ledger has no grant for it.',
            advice: resync,
          }
        : inBooks('that are due are not there')(books, found),
  },
  credits_too_many: { name: 'Too many credits', describe: inBooks('are there that are not due') },
  grant_unexplained: {
    name: 'Grant without a cause',
    describe: inBooks('were granted, and nothing explains them'),
  },
  adjustment_unexplained: {
    name: 'Correction without an act',
    describe: ({ posted_at, account, actor, reason }, { object_id, credits }) => ({
      // What is missing is the opposite of what was posted.
      sentence: `${creditsText(credits)} were ${Number(credits) < 0 ? 'given' : 'taken'} by hand, with no support act recorded`,
      they_say: 'There is no act of support behind it.',
      we_have: sentence(
        `Transfer ${object_id} of ${dayText(posted_at)} to the ${account} account, by ${actor}${because(reason)}`,
      ),
      advice: 'Find out who posted it; then post the opposite amount.',
    }),
  },
  event_unapplied: {
    name: 'Event not applied',
    describe: ({ source, type, since, failure }) => ({
      sentence: `An event of ${sender(source)}’s has not been applied since ${momentText(since)}`,
      they_say: `${sender(source)} sent ${type}.`,
      we_have: lastTry(failure) || 'It has not been tried.',
      advice: 'A replay tries it now, and says why it fails.',
    }),
  },
  work_overdue: {
    name: 'Work overdue',
    describe: ({ what, source, type, since, failure }) => ({
      sentence: `${source ? `An event of ${sender(source)}’s` : `A ${what}`} is due, and no job has it`,
      they_say: source
        ? `${sender(source)} sent ${type}.`
        : `It should have been looked at by ${momentText(since)}.`,
      we_have: lastTry(failure) || 'It has not been tried since.',
      advice:
        'Check that a worker runs: it claims rows that are due every few seconds. A replay tries it now.',
    }),
  },
}

/** The kind, on its tab. */
export const findingName = (kind: FindingKind) => words[kind].name

/** A finding in sentences; one with data of another version by its kind and id. */
export function describeFinding<Kind extends FindingKind>(
  finding: Found & { readonly kind: Kind; readonly data: unknown },
): FindingText {
  const { kind, object_id } = finding
  const its: FindingWords<Kind> = words[kind]
  const data = (findingData[kind] as unknown as z.ZodMiniType<FindingData<Kind>>).safeParse(finding.data).data
  if (data) return its.describe(data, finding)
  return { sentence: `${its.name}: ${object_id}`, they_say: '', we_have: '', advice: unknownForm }
}

function moneyBack(what: string): FindingWords<'refund_differs'>['describe'] {
  return ({ there_minor, here_minor, currency }, { object_id }) => {
    const [there, here] = [moneyText(there_minor, currency), moneyText(here_minor, currency)]
    return {
      sentence: `${there} of a payment are ${what}, and we know of ${here}`,
      they_say: `Of charge ${object_id} ${there} are ${what}.`,
      we_have: `We know of ${here}.`,
      advice: 'A replay of the charge fetches it with its disputes, and takes back or returns the credits.',
    }
  }
}

function inBooks(what: string): FindingWords<'grant_unexplained'>['describe'] {
  return ({ due, lacking }, { object_id, credits: sum }) => ({
    sentence: `${creditsText(sum)} ${what}`,
    they_say:
      due === null
        ? `No checkout and no invoice stands behind grant ${object_id}.`
        : `By the facts grant ${object_id} is due ${creditsText(due)}.`,
    we_have: `To agree, the ledger lacks: ${lacking.map(({ component, credits }) => `${credits > 0 ? '+' : '−'}${Math.abs(credits)} ${component.replace('_', ' ')}`).join(', ')}.`,
    advice: due === null ? 'A resync asks Stripe once more, and takes back what was not paid for.' : resync,
  })
}

const money = ({ amount_minor, currency }: { amount_minor: number; currency: string }) =>
  moneyText(amount_minor, currency)
const sender = (source: string | null) => capitalized(source ?? '')
const because = (reason: string | null) => (reason ? `: ${reasonText(reason)}` : '')
const lastTry = (failure: string | null) =>
  failure ? sentence(`The last try failed${because(failure)}`) : ''
