import { failureOf } from '../../schema/api/failures.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { lockOwner } from '../../schema/ledger/post/books.ts'
import { releaseHolds } from '../../schema/ledger/post/holds.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { findHoldById } from '../../schema/ledger/read/open-holds.ts'
import { PermanentError } from '../errors.ts'
import type { DoAct } from './act.ts'

/** Makes reserved credits available again; their editor can then charge nothing for its request. */
export const releaseHold: DoAct = (deps, { target_id: id }) =>
  retryTransaction(deps.db, async (trx) => {
    const found = await findHoldById(trx, id)
    if (!found) throw new PermanentError('not_found', { what: 'hold', id })
    await lockOwner(trx, found.owner_id)
    const before = await findBalance(trx, found.owner_id)
    const released = await releaseHolds(trx, [found.owner_id], { ids: [id], now: deps.now() })
    const after = await findBalance(trx, found.owner_id)
    const state = (await findHoldById(trx, id))?.state
    return {
      changes:
        released > 0
          ? [{ what: 'available', id: null, before: before.available, after: after.available }]
          : [],
      note: failureOf('has_state', { what: 'hold', state: `${state}` }),
    }
  })
