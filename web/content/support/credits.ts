import * as z from 'zod/mini'
import { erasedText } from '../../../schema/api/credits.ts'
import type { TraceItem } from '../../../schema/api/support.ts'
import {
  capitalized,
  creditsText,
  dataOf,
  dayText,
  type ItemOf,
  type ItemText,
  maybe,
  memberText,
  momentText,
  type Notice,
  notice,
  time,
  wordsOf,
} from './words.ts'

/** Actors that are no person. */
const ourOwnActors = ['stripe', 'schedule']

const transferSchema = z.object({
  kind: z.string(),
  /** Null once it was erased. */
  reason: maybe.text,
  actor: z.string(),
  operator_key: maybe.text,
  occurred_at: time,
  /** Of a usage that settled one. */
  hold_id: maybe.text,
  intent_id: maybe.text,
  event_id: maybe.text,
  account: z.enum(['plan', 'purchased']),
  amount: z.int(),
  balance_after: z.int(),
})
type Transfer = z.infer<typeof transferSchema>

const transferWords = wordsOf({
  kind: 'transfer',
  data: transferSchema,
  describe({ data, at }, { names }) {
    const { kind, actor, occurred_at, hold_id, event_id, intent_id } = data
    const isLate = Date.parse(at) - Date.parse(occurred_at) > 60_000
    // Usage is by the owner's own people.
    const isByPerson = kind !== 'usage' && !ourOwnActors.includes(actor)
    return {
      title: data.reason ?? erasedText,
      level: 'done',
      state: kind,
      details: [
        ...(isLate ? [`It happened on ${dayText(occurred_at)}.`] : []),
        ...(isByPerson ? [`By ${names?.[actor] ?? actor}.`] : []),
        ...(data.operator_key ? [`Reported with the operator key “${data.operator_key}”.`] : []),
      ],
      credits: data.amount,
      account: data.account,
      balance_after: data.balance_after,
      caused_by: [
        ...(hold_id ? [`hold:${hold_id}`] : []),
        ...(event_id ? [`event:${event_id}`] : []),
        ...(intent_id ? [`intent:${intent_id}`] : []),
      ],
    }
  },
  notices: aboutMonthsEnd,
})

/** All that expired with the latest month, said once. */
function aboutMonthsEnd(
  { key, data: { occurred_at } }: ItemOf<Transfer>,
  all: readonly TraceItem[],
): Notice[] {
  const expired = all.filter(({ kind }) => kind === 'transfer')
  if (expired[0]?.key !== key) return []
  const ofMonth = expired.flatMap((item) => dataOf(transferWords, item) ?? [])
  const sum = ofMonth.reduce((before, one) => before + (one.occurred_at === occurred_at ? one.amount : 0), 0)
  const [what, day] = [
    `${Math.abs(sum)} unused plan ${sum === -1 ? 'credit' : 'credits'}`,
    dayText(occurred_at),
  ]
  return [
    notice('waiting', {
      sentence: `A month ended on ${day}, and ${what} expired.`,
      tell: `Your billing month ended on ${day}, and ${what} of it expired. Credits included in a plan reset every billing month; purchased credits never expire.`,
      item_key: key,
    }),
  ]
}

const holdSchema = z.object({
  /** What happened to it at the row's time. */
  step: z.enum(['reserved', 'extended', 'expired', 'resolved']),
  owner_id: z.string(),
  actor: z.string(),
  /** Their address, masked. */
  actor_label: maybe.text,
  /** That alone may settle it. */
  operator_key: maybe.text,
  asked: z.int(),
  credits: z.int(),
  state: z.enum(['open', 'settled', 'released', 'expired', 'settled_late']),
  expires_at: maybe.time,
  settled_credits: maybe.int,
  charged: maybe.int,
  failure: maybe.text,
  /** Null once it was erased. */
  reason: maybe.text,
  model: maybe.text,
  project: maybe.text,
  /** The usages that settled it: of what was reserved, and of what was above. */
  transfer_ids: z.array(z.int()),
})
type Hold = z.infer<typeof holdSchema>

/** One step in the life of a hold. The first stands for the hold: it has its state, and can be released. */
const holdWords = wordsOf({
  kind: 'hold',
  data: holdSchema,
  describe({ id, data }, { as_of }) {
    const caused_by = [`hold:${id}`]
    const { expires_at } = data
    switch (data.step) {
      case 'reserved':
        return describeReserved(data, as_of)
      case 'extended':
        return {
          caused_by,
          title: expires_at ? `Last extended, until ${momentText(expires_at)}` : 'Last extended',
          level: 'done',
          details: ['Only the last extension is recorded.'],
        }
      case 'expired':
        return { caused_by, title: 'Hold expired', ...describeExpired(data) }
      case 'resolved':
        return { caused_by, level: 'done', ...describeResolved(data) }
    }
  },
})

function describeReserved(data: Hold, as_of: string): ItemText {
  const { state, asked, credits, expires_at } = data
  const what = [data.reason ?? erasedText, data.model, data.project].filter(Boolean).join(', ')
  const isAhead = expires_at !== null && Date.parse(expires_at) > Date.parse(as_of)
  return {
    title: `${creditsText(credits)} reserved`,
    level: state === 'open' ? 'waiting' : 'done',
    state,
    credits,
    details: [
      `For “${what}”${byText(data, data.actor)}.`,
      ...(data.operator_key ? [`Reserved with the operator key “${data.operator_key}”.`] : []),
      ...(asked > credits ? [`${creditsText(asked)} were asked for.`] : []),
      ...(state === 'open' && isAhead ? [`It expires on ${momentText(expires_at)}.`] : []),
    ],
    led_to: transfersOf(data),
  }
}

function describeExpired({ state, credits }: Hold): Pick<ItemText, 'level' | 'details'> {
  if (state === 'open') {
    const count = credits === 1 ? 'counts' : 'count'
    const details = [
      `Its ${creditsText(credits)} ${count} as reserved until the ledger ends it, within a minute.`,
    ]
    return { level: 'waiting', details }
  }
  const late = 'It may be settled late within 24 hours, for what is available then.'
  const freed = `Its ${wereText(credits)} no longer reserved.`
  return { level: 'done', details: state === 'expired' ? [freed, late] : [freed] }
}

function describeResolved(data: Hold): Pick<ItemText, 'title' | 'details' | 'led_to'> {
  const { state, credits, settled_credits, charged, failure } = data
  if (settled_credits === null || charged === null)
    return {
      title: 'Hold released',
      details: [`Its ${wereText(credits)} no longer reserved, and nothing was charged.`],
    }
  const isLate = state === 'settled_late'
  const uncollected = settled_credits - charged
  const above = charged - credits
  return {
    title: `Settled${isLate ? ' late' : ''}: ${charged === 0 ? 'nothing' : creditsText(charged)} charged`,
    details: [
      ...(failure ? [`The request failed (${failure.replaceAll('_', ' ')}).`] : []),
      ...(isLate ? ['It had expired, so only available credits could be charged.'] : []),
      ...(!isLate && above > 0
        ? [`Of them, ${creditsText(above)} ${above === 1 ? 'is' : 'are'} above what was reserved.`]
        : []),
      ...(uncollected > 0
        ? [
            `It cost ${creditsText(settled_credits)}; ${uncollected} ${uncollected === 1 ? 'stays' : 'stay'} uncollected, because no more were available or left of a limit.`,
          ]
        : []),
      ...(!isLate && above < 0 ? [`${wereText(-above)} no longer reserved.`] : []),
    ],
    led_to: transfersOf(data),
  }
}

const limits = {
  organization: 'the limit of the organization',
  own: 'their own limit',
  member: 'the limit of one member',
  member_default: 'the limit of each member',
}

const refusalSchema = z.object({
  owner_id: z.string(),
  scope: z.enum(['organization', 'own', 'member', 'member_default']),
  period: z.enum(['day', 'month', 'billing_month']),
  /** As it is now, with what it was raised by for this period. */
  limit: z.int(),
  starts_on: z.iso.date(),
  ends_on: z.iso.date(),
  refused: z.int(),
  /** Of the last request. */
  refused_credits: z.int(),
  refused_actor: z.string(),
  actor_label: maybe.text,
})
type Refusal = z.infer<typeof refusalSchema>

/** What a limit on spending refused in one of its periods. */
const refusalWords = wordsOf({
  kind: 'refusal',
  name: 'Spending limit',
  data: refusalSchema,
  describe({ data }) {
    const { starts_on, ends_on, refused_credits } = data
    return {
      title: refusedText(data),
      level: 'done',
      details: [
        `The last one was for ${creditsText(refused_credits)}${byText(data, data.refused_actor)}.`,
        `The limit is ${amountText(data)}, counted from ${dayText(starts_on)} to ${dayText(ends_on)}, 00:00 UTC.`,
      ],
    }
  },
  notices({ key, data }) {
    const { scope, ends_on, refused_credits } = data
    const [whose, who] = scope === 'own' ? ['Your own', 'you'] : ['Your organization’s', 'its admins']
    return [
      notice('waiting', {
        sentence: `${refusedText(data)} in this period, which ends on ${dayText(ends_on)}.`,
        tell: `${whose} spending limit is ${amountText(data)}, and less than the ${creditsText(refused_credits)} of the last request are left of it. It is reset on ${dayText(ends_on)}, 00:00 UTC; until then ${who} can raise it on the billing page.`,
        item_key: key,
      }),
    ]
  },
})

function refusedText({ scope, refused }: Refusal): string {
  return `${capitalized(limits[scope])} refused ${refused === 1 ? 'one request' : `${refused} requests`}`
}

const amountText = ({ limit, period }: Refusal) => `${creditsText(limit)} a ${period.replaceAll('_', ' ')}`

/** Nothing for the owner's own. */
function byText({ owner_id, actor_label }: Pick<Hold, 'owner_id' | 'actor_label'>, actor: string): string {
  return actor === owner_id ? '' : `, by ${memberText(actor, actor_label)}`
}

const wereText = (credits: number) => `${creditsText(credits)} ${credits === 1 ? 'was' : 'were'}`
const transfersOf = ({ transfer_ids }: Hold) => transfer_ids.map((id) => `transfer:${id}`)

export const credits = [transferWords, holdWords, refusalWords]
