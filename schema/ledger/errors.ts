/** The same idempotency key came with another input. Nothing was posted; a person has to investigate. */
export class IdempotencyConflictError extends Error {
  override readonly name = 'IdempotencyConflictError'
}

/**
 * A transfer moves nothing or names no account of the house, or a usage is below one credit. A bug in the
 * caller.
 */
export class UnbalancedTransferError extends Error {
  override readonly name = 'UnbalancedTransferError'
}

/** Of what two owners named alike at the same moment, the second violates one of these. */
const uniqueKeys = [
  'ledger_keys_pkey',
  'ledger_keys_over_owners',
  'ledger_grants_pkey',
  'ledger_grants_id_key',
]

/**
 * Turns the SQLSTATEs that the ledger's functions raise into typed errors; everything else passes through.
 */
export function ledgerError(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  switch (error.code) {
    case '23505': {
      const isTaken = 'constraint' in error && uniqueKeys.includes(String(error.constraint))
      if (!isTaken) return error
      return new IdempotencyConflictError('A key or a grant of the ledger belongs to another owner', {
        cause: error,
      })
    }
    case 'LG001':
      return new IdempotencyConflictError(error.message, { cause: error })
    case 'LG002':
      return new UnbalancedTransferError(error.message, { cause: error })
    default:
      return error
  }
}
