import { createContext, useContext } from 'react'
import type { ActKind, ActTarget, Adjustment, Refund } from '../../../../schema/api/support-acts.ts'

export interface ActRequest {
  kind: ActKind
  /** One at least. */
  targets: readonly ActTarget[]
  /** The target's title, e.g. `Checkout of 500 credits`. */
  subject: string
  /** What is filled in already; see `acts`. */
  params?: {
    readonly adjustment?: Partial<Adjustment> | undefined
    /** All that is left of a payment. */
    readonly refund?: Refund | null | undefined
  }
  /** It is done, or it waits for a second person. */
  onDone?: () => void
}

export const ActContext = createContext<((request: ActRequest) => void) | null>(null)

/** Opens the dialog: what would follow, the reason, and then what followed. */
export function useAct(): (request: ActRequest) => void {
  const ask = useContext(ActContext)
  if (!ask) throw new Error('useAct needs an ActProvider above it')
  return ask
}
