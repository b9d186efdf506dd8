import type { Dependencies } from '../dependencies.ts'
import { insufficientCredits, type ServerError } from '../errors.ts'
import type { Payer } from './payer.ts'
import { debtOf, presentSpendable } from './spendable.ts'

/** The refusal of a usage: which payer lacks what, and where its credits are bought. */
export function usageRefusal(
  { settings }: Pick<Dependencies, 'settings'>,
  payer: Payer,
  { required, plan, purchased }: { required: number; plan: number; purchased: number },
): ServerError {
  const { available } = presentSpendable(payer.name, { plan, purchased })
  const debt = debtOf({ plan, purchased })
  const isPersonal = payer.owner.owner_kind === 'user'
  const whose = isPersonal ? 'your personal balance' : 'the balance of your organization'
  const reason =
    debt > 0
      ? `There is a debt of ${count(debt)} on ${whose}, which has to be settled first.`
      : `This takes ${count(required)}, and ${whose} has ${available.toLocaleString('en-US')}.`
  const remedy = payer.may_buy
    ? 'Please buy more credits.'
    : 'Please ask an administrator of your organization to buy more credits.'
  return insufficientCredits(`Not enough credits. ${reason} ${remedy}`, {
    payer: payer.name,
    required,
    available,
    plan,
    purchased,
    debt,
    buy_url: `${settings.app_url}${isPersonal ? '/billing' : '/organizations'}`,
  })
}

const count = (credits: number) =>
  `${credits.toLocaleString('en-US')} ${credits === 1 ? 'credit' : 'credits'}`
