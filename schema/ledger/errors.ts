/** The same idempotency key came with another input. Nothing was posted; a person has to investigate. */
export class IdempotencyConflictError extends Error {
  override readonly name = 'IdempotencyConflictError'
}

/** The legs do not sum to zero or name no account. A bug in the caller. */
export class UnbalancedTransferError extends Error {
  override readonly name = 'UnbalancedTransferError'
}

/** The account holds less than the transfer takes, and its kind may not leave a debt. */
export class InsufficientCreditsError extends Error {
  override readonly name = 'InsufficientCreditsError'
}

/** Turns the SQLSTATEs that the ledger's functions raise into typed errors; everything else passes through. */
export function ledgerError(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  switch (error.code) {
    case 'LG001':
      return new IdempotencyConflictError(error.message, { cause: error })
    case 'LG002':
      return new UnbalancedTransferError(error.message, { cause: error })
    case 'LG003':
      return new InsufficientCreditsError(error.message, { cause: error })
    default:
      return error
  }
}
