import type { Kind, OwnerHistory, OwnerStep } from './owner-history.ts'

export interface Regression {
  readonly title: string
  readonly needs: readonly Kind[]
  readonly history: OwnerHistory
  /** `npm test` plays it. */
  readonly isUsual?: boolean
}

/** The books are compared after every turn; a step that stands alone is one. */
export function lived(
  title: string,
  owner: OwnerHistory['owner'],
  ...turns: (OwnerStep | readonly OwnerStep[])[]
): Regression {
  const steps = turns.map((turn) => ('do' in turn ? [turn] : turn))
  return {
    title,
    needs: [...new Set(steps.flat().map(({ do: kind }) => kind))],
    history: {
      owner,
      turns: steps.map((turn) => ({ steps: turn, order: 'sent', times: 1 })),
      is_deleted: false,
    },
  }
}

export function but({ history, ...regression }: Regression, changed: Partial<OwnerHistory>): Regression {
  return { ...regression, history: { ...history, ...changed } }
}
