import type { ResponseOf } from '../../schema/api/endpoint.ts'
import type { searchSupport } from '../../schema/api/support.ts'
import type { Dependencies } from '../dependencies.ts'
import { type Hit, isLookupKind, type Lookup, lookUp } from './look-up.ts'
import { presentOwners } from './owners.ts'
import { cardPaymentForm } from './stripe-objects.ts'

type Deps = Pick<Dependencies, 'db' | 'clerk' | 'stripe' | 'producer' | 'settings' | 'now'>

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

interface Form {
  readonly form: RegExp
  readonly kinds: readonly Lookup['kind'][]
}

/** Ids of Stripe and Clerk, which their dashboards have in links. */
const vendorForms: readonly Form[] = [
  { form: /^user_\w+$/, kinds: ['user'] },
  { form: /^org_\w+$/, kinds: ['organization'] },
  { form: /^orginv_\w+$/, kinds: ['invitation'] },
  { form: /^cs_\w+$/, kinds: ['session'] },
  { form: /^pi_\w+$/, kinds: ['payment_intent'] },
  { form: /^(ch|py)_\w+$/, kinds: ['charge'] },
  { form: /^in_\w+$/, kinds: ['invoice'] },
  { form: /^sub_(?!sched_)\w+$/, kinds: ['subscription'] },
  { form: /^cus_\w+$/, kinds: ['customer'] },
  { form: /^(re|pyr)_\w+$/, kinds: ['refund'] },
  { form: /^(dp|du)_\w+$/, kinds: ['dispute'] },
  { form: /^evt_\w+$/, kinds: ['event'] },
  { form: /^msg_[\w-]+$/, kinds: ['event'] },
]

/** What each form of text may be. The first that fits counts. */
const forms: readonly Form[] = [
  { form: /^[^@\s/:]+@[^@\s]+$/, kinds: ['email'] },
  ...vendorForms,
  {
    form: uuid,
    kinds: ['intent', 'invitation', 'act', 'hold'],
  },
  { form: cardPaymentForm, kinds: ['card_payment'] },
  // The prefix of an account or customer, and a number (https://docs.stripe.com/invoicing/customize).
  { form: /^[a-z0-9]{3,12}-\d{4,9}$/i, kinds: ['invoice_number', 'job', 'name'] },
  { form: /^\d{1,16}$/, kinds: ['transfer'] },
  { form: /^[\w-]+\/\S+$/, kinds: ['transfer', 'job'] },
  { form: /^\S+$/, kinds: ['event', 'job', 'name'] },
  { form: /^[^\s/:][^/:]*$/, kinds: ['name'] },
]

/** Everything that the text names, exactly as it is written. */
export async function search(deps: Deps, text: string): Promise<ResponseOf<typeof searchSupport>> {
  const lookups = recognize(text)
  const hits: Hit[] = []
  for (const lookup of lookups) {
    hits.push(...(await lookUp(deps, lookup)))
    if (hits.length > 0) break
  }
  const present = await presentOwners(
    deps.db,
    hits.map(({ owner_id }) => owner_id),
    'whole',
  )
  return {
    recognized_as: lookups.map(({ kind }) => kind),
    matches: hits.map(({ kind, id, owner_id, item, name = null, held = null, is_finished = false }) => {
      return { kind, id, owner: present(owner_id), item, name, held, is_finished }
    }),
    as_of: deps.now().toISOString(),
  }
}

/** The id in a link to the dashboard of Stripe or Clerk: the last part of its path that is one. */
function idInLink(text: string): string | undefined {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return undefined
  const parts = new URL(text).pathname.split('/')
  return parts.findLast((part) => vendorForms.some(({ form }) => form.test(part)))
}

/** Also `kind:id`, as the timeline calls its items, and a link that has an id. */
function recognize(given: string): readonly Lookup[] {
  const text = idInLink(given) ?? given
  const [, prefix, rest] = /^([a-z_]+):(\S+)$/.exec(text) ?? []
  if (prefix && rest && isLookupKind(prefix)) return [{ kind: prefix, id: rest }]
  return forms.find(({ form }) => form.test(text))?.kinds.map((kind) => ({ kind, id: text })) ?? []
}
