import type { CaseSummary, SupportNotice } from '../../schema/api/support.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import type { Owner } from '../../schema/ledger/accounts.ts'
import { type HoldsOfPerson, holdsOfPersonMax, sumOpenHolds } from '../../schema/ledger/read/open-holds.ts'
import { findEmails } from '../../schema/support/relations.ts'
import { creditsText, memberText, momentText } from './format.ts'

/** How many people a sentence names. */
const namedMax = 3

/** Why an editor's call is or would be refused at present, other than by a low balance. */
export async function readSpendingNotices(
  trx: DatabaseTransaction,
  owner: Owner,
  spendable: CaseSummary['spendable'],
): Promise<SupportNotice[]> {
  const holds = spendable.held > 0 ? await sumOpenHolds(trx, owner) : []
  const emails = await findEmails(
    trx,
    holds.map(({ actor }) => actor),
  )
  const named = holds.map((held) => ({ ...held, member: memberText(held.actor, emails.get(held.actor)) }))
  return [...aboutSpendable(spendable), ...aboutHolds(named, owner, spendable)]
}

function aboutSpendable({ available, debt }: CaseSummary['spendable']): SupportNotice[] {
  const notice = (level: SupportNotice['level'], text: string) => ({ level, sentence: text, item_key: null })
  return [
    ...(debt > 0 && available <= 0
      ? [notice('problem', `Every request is refused until a debt of ${creditsText(debt)} is paid back.`)]
      : []),
    ...(debt > 0 && available > 0
      ? [notice('waiting', `A debt of ${creditsText(debt)} of one account takes as many of the other.`)]
      : []),
  ]
}

/** Why a call may be refused that the balance would cover. */
function aboutHolds(
  holds: readonly (HoldsOfPerson & { readonly member: string })[],
  { owner_id }: Owner,
  { available }: CaseSummary['spendable'],
): SupportNotice[] {
  if (holds.length === 0) return []
  const sum = (of: 'count' | 'credits') => holds.reduce((before, held) => before + held[of], 0)
  const until = new Date(Math.max(...holds.map(({ last_expires_at }) => last_expires_at.getTime())))
  const [count, credits] = [sum('count'), sum('credits')]
  const named = holds.slice(0, namedMax).map(({ member, count: theirs }) => `${theirs} of ${member}`)
  const more = holds.length > namedMax ? `, ${holds.length - namedMax} other people` : ''
  const whose = holds.every(({ actor }) => actor === owner_id) ? '' : ` (${named.join(', ')}${more})`
  const refused =
    available > 0
      ? `a request for more than ${creditsText(available)} is refused`
      : 'every request is refused'
  return [
    ...holds
      .filter((held) => held.count >= holdsOfPersonMax)
      .map(
        ({ member, count: theirs }): SupportNotice => ({
          level: 'problem',
          sentence: `${member} has ${theirs} open holds, which is the maximum: the next is refused until one of them ends.`,
          item_key: null,
        }),
      ),
    {
      level: 'waiting',
      sentence: `${creditsText(credits)} ${credits === 1 ? 'is' : 'are'} reserved by ${count === 1 ? 'an open hold' : `${count} open holds`}${whose} until ${momentText(until)} at the latest; meanwhile ${refused}.`,
      item_key: null,
    },
  ]
}
