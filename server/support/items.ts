import { z } from 'zod'
import type { TraceItem } from '../../schema/api/support.ts'
import { keyOf, type TimelineRow } from '../../schema/support/timeline.ts'
import { cursorKeySchema, cursorOf, cursorTimeSchema } from '../cursor.ts'
import type { Settings } from '../settings.ts'

type VendorLinks = TraceItem['links']

const nowhere: VendorLinks = { stripe: null, clerk: null }

/** Pages of Stripe's dashboard, by id prefix. Other ids use its search. */
const pages: Readonly<Record<string, string>> = {
  cus: 'customers',
  sub: 'subscriptions',
  in: 'invoices',
  pi: 'payments',
  ch: 'payments',
  py: 'payments',
  evt: 'events',
}

type Bases = Pick<Settings, 'stripe_api_base' | 'clerk_proxy_target'>

/** The address of the same object in Stripe's dashboard. The stand-in has none. */
export function stripeLinks({ stripe_api_base }: Bases, id: string, livemode: boolean): VendorLinks {
  if (stripe_api_base !== undefined) return nowhere
  const page = pages[/^[a-z]+/.exec(id)?.[0] ?? '']
  const path = page ? `${page}/${id}` : `search?query=${encodeURIComponent(id)}`
  return { stripe: `https://dashboard.stripe.com/${livemode ? '' : 'test/'}${path}`, clerk: null }
}

/** `~` is the application that was open last: https://clerk.com/docs/guides/dashboard/user-profile. */
export function clerkLinks({ clerk_proxy_target }: Bases, id: string): VendorLinks {
  if (clerk_proxy_target !== undefined) return nowhere
  const page = id.startsWith('org_') ? 'organizations' : 'users'
  return { stripe: null, clerk: `https://dashboard.clerk.com/~/${page}/${id}` }
}

/** The item of a row. */
export function itemOf(row: TimelineRow, bases: Bases): TraceItem {
  const { kind, data } = row
  // A later step of a hold has the hold's id.
  const id = kind === 'hold' ? row.id.split('/', 1).join() : row.id
  const at = new Date(row.at).toISOString()
  return { kind, key: keyOf(row), id, at, links: linksOf(row, bases), data }
}

/** The same with Stripe's page beside a checkout. Newest first. */
export function itemsOf(row: TimelineRow, bases: Bases): TraceItem[] {
  const item = itemOf(row, bases)
  if (row.kind !== 'intent' || row.data.stripe_session_id === null) return [item]
  const { stripe_session_id: id, livemode } = row.data
  const key = keyOf({ kind: 'session', id })
  return [{ ...item, kind: 'session', key, id, links: stripeLinks(bases, id, livemode) }, item]
}

function linksOf({ kind, id, data }: TimelineRow, bases: Bases): VendorLinks {
  if (kind === 'intent' || kind === 'seat') return data.user_id ? clerkLinks(bases, data.user_id) : nowhere
  if (kind === 'event' && data.source === 'clerk')
    return data.subject ? clerkLinks(bases, data.subject) : nowhere
  return 'livemode' in data ? stripeLinks(bases, id, data.livemode === true) : nowhere
}

/** Where a page of items ends. */
export const placeCursor = cursorOf(z.object({ at: cursorTimeSchema, key: cursorKeySchema }))
