import type Stripe from 'stripe'
import type { Database } from '../../database/connect.ts'
import type { Logger } from '../../log.ts'
import { withTimeLimit } from '../../time-limit.ts'
import { inThisMode } from './mode.ts'

const limit_ms = 5000

/** A person has to decide which of the two is right. */
export class OtherAccountError extends Error {
  override readonly name = 'OtherAccountError'
}

/**
 * The account of the key. A sandbox is an account of its own
 * (https://stripe.dev/blog/managing-multiple-stripe-test-environments-from-aws), and the keys of every
 * sandbox begin with `sk_test_`. A restricted key may be refused although the dashboard gives it every
 * permission (https://github.com/stripe/stripe-node/issues/2246).
 */
async function readAccount(stripe: Stripe): Promise<string> {
  const { id } = await stripe.accounts.retrieveCurrent({}, { maxNetworkRetries: 0, timeout: limit_ms })
  return id
}

/**
 * Called at the start of a process: throws when the database belongs to another account than the key, whose
 * objects are unknown here. The first start writes the account down. A process starts without knowing it
 * when Stripe or Postgres is away, or when the key may not read it.
 */
export async function refuseOtherAccount(deps: {
  readonly db: Database
  readonly stripe: Stripe
  readonly log: Pick<Logger, 'warn'>
}): Promise<void> {
  try {
    await withTimeLimit(compareAccount(deps), { limit_ms, what: 'Comparing the account at Stripe' })
  } catch (error) {
    if (error instanceof OtherAccountError) throw error
    deps.log.warn(
      { err: error },
      'It is not known whether the key of Stripe is of the account to which this database belongs',
    )
  }
}

async function compareAccount({ db, stripe }: { readonly db: Database; readonly stripe: Stripe }) {
  const ours = await readAccount(stripe)
  await db
    .insertInto('stripe_accounts')
    .values({ account_id: ours })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { account_id: known } = await db
    .selectFrom('stripe_accounts')
    .select('account_id')
    .where(inThisMode('stripe_accounts'))
    .executeTakeFirstOrThrow()
  if (ours === known) return
  const text = `STRIPE_SECRET_KEY is of the account ${ours}, and this database belongs to ${known}`
  throw new OtherAccountError(`${text}. Use a key of that account, or another database.`)
}
