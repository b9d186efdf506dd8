import Stripe from 'stripe'
import { createPool } from '../../schema/database/pool.ts'
import { accountProblem, readAccount } from '../../schema/stripe/account.ts'
import { isLiveKey, modeName } from '../../schema/stripe/mode.ts'
import type { Configuration } from './configuration.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Whether the database belongs to the account of the key. */
export async function examineAccount(stripe: Stripe, { env }: Configuration): Promise<Finding> {
  const livemode = isLiveKey(env.STRIPE_SECRET_KEY)
  try {
    const ours = await readAccount(stripe)
    const known = await findKnown(env.DATABASE_URL, livemode)
    const text = known === null ? null : accountProblem({ ours, known })
    if (text === null) return ok('account', `${ours}, ${modeName(livemode)}`)
    return problem('account', {
      text,
      means: 'Server and worker refuse to start: nothing that was bought before exists in this account.',
      repair: 'Take a key of the account that the database belongs to, or give the other one a database.',
    })
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripePermissionError)) throw error
    return warning('account', {
      text: 'the key may not read its account',
      means: 'Server and worker start with the key of any account, also of another sandbox.',
      repair:
        'Let the restricted key read accounts where the dashboard offers it; otherwise compare by hand.',
    })
  }
}

/** Null before the first start. A database that does not answer is a finding of its own. */
async function findKnown(connectionString: string, livemode: boolean): Promise<string | null> {
  if (connectionString === '') return null
  const pool = createPool({ connectionString, max: 1, connectionTimeoutMillis: 10_000 }, () => undefined)
  try {
    const { rows } = await pool.query<{ account_id: string }>(
      'SELECT account_id FROM stripe_accounts WHERE livemode = $1',
      [livemode],
    )
    return rows[0]?.account_id ?? null
  } catch {
    return null
  } finally {
    await pool.end()
  }
}
