/**
 * One thing that is wrong in the books. `subject` says where: a transfer, an account, a grant or an intent.
 */
export interface LedgerProblem {
  readonly check: string
  readonly subject: string
}

export type ReportProblem = (check: string, subject: string) => void
