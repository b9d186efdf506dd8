import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnPlanEnd } from '../../../schema/api/plan-changes.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { ownPlanEndQuery } from '../../api/account.ts'

export interface OwnPlanChoice {
  /** Null without a plan of one's own, and while it is not known. */
  readonly plan: OwnPlanEnd | null
  /** An order waits for it, so that each buyer with a plan is asked. */
  readonly isLoading: boolean
  /** Whether the plan ends with the order. */
  readonly ends: boolean
  readonly setEnds: (ends: boolean) => void
}

/** Whether the buyer's own plan ends when Teams is paid: it does unless they say otherwise. */
export function useOwnPlanEnd(): OwnPlanChoice {
  const { data, isPending } = useQuery(ownPlanEndQuery(useApi()))
  const [wanted, setEnds] = useState(true)
  const plan = data?.plan ?? null
  return { plan, isLoading: isPending, ends: plan !== null && wanted, setEnds }
}
