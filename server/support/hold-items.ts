import { erasedText } from '../../schema/api/credits.ts'
import type { TraceItem } from '../../schema/api/support.ts'
import { keyOf } from '../../schema/support/timeline.ts'
import type { TimelineRow } from '../../schema/support/timeline-rows.ts'
import { creditsText, memberText, momentText } from './format.ts'

type HoldStep = Extract<TimelineRow, { kind: 'hold' }>['data']
type Told = Pick<TraceItem, 'id' | 'title' | 'level'> & Partial<TraceItem>

/** One step in the life of a hold. The first stands for the hold: it has its state, and can be released. */
export function tellHold(hold: HoldStep, { now }: { readonly now: Date }): Told {
  const { id, step } = hold
  if (step === 'reserved') return { id, ...tellReserved(hold, now) }
  const caused_by = [keyOf({ kind: 'hold', id })]
  switch (step) {
    case 'extended':
      return {
        id,
        caused_by,
        title: hold.expires_at ? `Last extended, until ${momentText(hold.expires_at)}` : 'Last extended',
        level: 'done',
        detail: 'Only the last extension is recorded.',
      }
    case 'expired':
      return { id, caused_by, ...tellExpired(hold) }
    case 'resolved':
      return { id, caused_by, level: 'done', ...tellResolved(hold) }
  }
}

function tellReserved(hold: HoldStep, now: Date): Omit<Told, 'id'> {
  const { state, asked, credits, expires_at } = hold
  const what = [hold.reason ?? erasedText, hold.model, hold.project].filter(Boolean).join(', ')
  const by = hold.actor === hold.owner_id ? '' : `, by ${memberText(hold.actor, hold.actor_email)}`
  const details = [
    `For “${what}”${by}.`,
    ...(asked > credits ? [`${creditsText(asked)} were asked for.`] : []),
    ...(state === 'open' && expires_at !== null && expires_at > now
      ? [`It expires on ${momentText(expires_at)}.`]
      : []),
  ]
  return {
    title: `${creditsText(credits)} reserved`,
    level: state === 'open' ? 'waiting' : 'done',
    state,
    credits,
    detail: details.join(' ') || null,
    can_release: state === 'open',
    led_to: transfersOf(hold),
  }
}

function tellExpired({ state, credits }: HoldStep): Omit<Told, 'id'> {
  const title = 'Hold expired'
  if (state === 'open')
    return {
      title,
      level: 'waiting',
      detail: `Its ${creditsText(credits)} ${credits === 1 ? 'counts' : 'count'} as reserved until the ledger ends it, within a minute.`,
    }
  const late =
    state === 'expired' ? ' It may be settled late within 24 hours, for what is available then.' : ''
  return { title, level: 'done', detail: `Its ${wereText(credits)} no longer reserved.${late}` }
}

function tellResolved(hold: HoldStep): Pick<TraceItem, 'title' | 'detail' | 'led_to'> {
  const { state, credits, settled_credits, charged, failure } = hold
  if (settled_credits === null || charged === null)
    return {
      title: 'Hold released',
      detail: `Its ${wereText(credits)} no longer reserved, and nothing was charged.`,
      led_to: [],
    }
  const isLate = state === 'settled_late'
  const uncollected = settled_credits - charged
  const details = [
    ...(failure ? [`The request failed (${failure.replaceAll('_', ' ')}).`] : []),
    ...(isLate ? ['It had expired, so only available credits could be charged.'] : []),
    ...(!isLate && charged > credits
      ? [
          `Of them, ${creditsText(charged - credits)} ${charged - credits === 1 ? 'is' : 'are'} above what was reserved.`,
        ]
      : []),
    ...(uncollected > 0
      ? [
          `It cost ${creditsText(settled_credits)}; ${uncollected} ${uncollected === 1 ? 'stays' : 'stay'} uncollected, because no more were available.`,
        ]
      : []),
    ...(!isLate && charged < credits ? [`${wereText(credits - charged)} no longer reserved.`] : []),
  ]
  return {
    title: `Settled${isLate ? ' late' : ''}: ${charged === 0 ? 'nothing' : creditsText(charged)} charged`,
    detail: details.join(' ') || null,
    led_to: transfersOf(hold),
  }
}

const wereText = (credits: number) => `${creditsText(credits)} ${credits === 1 ? 'was' : 'were'}`

function transfersOf({ transfer_ids }: HoldStep): string[] {
  return transfer_ids.map((id) => keyOf({ kind: 'transfer', id: String(id) }))
}
