import type { ActTarget } from '../../schema/api/support-acts.ts'
import { outcomeOf, type SupportActRow, targetOf } from '../../schema/support/acts.ts'

/** What a command found or did, for programs and for people. */
export interface Report {
  readonly json: unknown
  readonly lines: readonly string[]
  /** False when something was refused or failed. */
  readonly ok: boolean
}

export interface Refused {
  readonly target: ActTarget
  readonly code: string
  readonly error: string
}

export function reportActs(acts: readonly SupportActRow[], refused: readonly Refused[]): Report {
  return {
    json: { acts: acts.map(present), refused },
    lines: [
      ...acts.map((row) => `${nameOf(row)}: ${sentenceOf(row)}`),
      ...refused.map(({ target, error }) => `${target.kind}:${target.id}: refused. ${error}.`),
    ],
    ok:
      refused.length === 0 && acts.every(({ state }) => !['failed', 'refused', 'cancelled'].includes(state)),
  }
}

export function nameOf({ kind, target_kind, target_id, is_dry_run }: SupportActRow): string {
  return `${is_dry_run ? 'dry run of ' : ''}${kind} ${target_kind}:${target_id}`
}

function sentenceOf(row: SupportActRow): string {
  switch (row.state) {
    case 'done':
      return outcomeOf(row)?.sentence ?? ''
    case 'waiting_for_approval':
      return `waits for a second person, who approves ${row.id} at /support`
    case 'queued':
      return `waits and is tried again by itself. ${row.last_error ?? ''}`.trimEnd()
    case 'cancelled':
      return 'cancelled before it began'
    case 'failed':
    case 'refused':
      return `${row.state}. ${row.error ?? ''}`
  }
}

export function present(row: SupportActRow) {
  const { id, batch_id, kind, reason, is_dry_run, state, requested_by, approved_by, error, last_error } = row
  const outcome = outcomeOf(row)
  return {
    id,
    batch_id,
    kind,
    target: targetOf(row),
    reason,
    is_dry_run,
    state,
    requested_by,
    approved_by,
    outcome,
    error,
    last_error,
  }
}
