import type { ActOutcome, SupportAct } from '../../../../schema/api/support-acts.ts'
import { changeName } from '../../../content/support/acts.ts'
import { formatCreditChange, formatCredits } from '../../format.ts'
import { counted, sentenceCase } from '../labels.ts'

export interface Change {
  what: string
  /** e.g. `+500`, `3 → 5`. */
  change: string
  note: string | null
}

/** Everything that an act changed or would change, what concerns the customer first. */
export function changesOf({ transfers, changes }: ActOutcome): readonly Change[] {
  const text = (value: string | number | null) =>
    value === null ? 'none' : typeof value === 'number' ? formatCredits(value) : sentenceCase(value)
  return [
    ...transfers.map(({ account, credits, reason }) => ({
      what: account === 'plan' ? 'Plan credits' : 'Purchased credits',
      change: `${formatCreditChange(credits)} credits`,
      note: reason,
    })),
    ...changes.map(({ what, id, before, after }) => ({
      what: changeName(what),
      change: `${text(before)} → ${text(after)}`,
      note: id,
    })),
  ]
}

export function summaryOf(acts: readonly SupportAct[], refused: number): string {
  const isDryRun = acts[0]?.is_dry_run ?? false
  const outcomes = acts.flatMap(({ outcome }) => outcome ?? [])
  const changed = outcomes.filter((outcome) => outcome.changed)
  const credits = changed.flatMap(({ transfers }) => transfers).reduce((sum, one) => sum + one.credits, 0)
  const count = (state: SupportAct['state']) => acts.filter((act) => act.state === state).length
  const parts = [
    [changed.length, isDryRun ? 'would change something' : 'changed something'],
    [outcomes.length - changed.length, isDryRun ? 'would change nothing' : 'changed nothing'],
    [count('failed'), isDryRun ? 'would fail' : 'failed'],
    [count('waiting_for_approval'), 'waiting for a second person'],
    [count('refused') + refused, 'refused'],
    [count('cancelled'), 'cancelled'],
  ] as const
  const said = parts
    .filter(([number]) => number > 0)
    .map(([number, text]) => `${formatCredits(number)} ${text}`)
  const total = credits === 0 ? '' : ` ${formatCreditChange(credits)} credits in all.`
  return `${counted(acts.length + refused, 'item')}: ${said.join(', ')}.${total}`
}
