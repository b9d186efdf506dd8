import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { actProgressQuery, isSettled, type RequestedActs } from '../../../api/support-acts.ts'

/** Polls acts until all of them have ended or wait for a second person. */
export function useProgress(requested: RequestedActs | undefined) {
  const first = requested?.acts[0]
  const asked = requested?.batch_id ? { batch_id: requested.batch_id } : { id: first?.id ?? '' }
  const isUnderWay = requested !== undefined && !requested.acts.every(isSettled)
  const { data, error } = useQuery({ ...actProgressQuery(useApi(), asked), enabled: isUnderWay })
  const acts = data?.acts ?? requested?.acts ?? []
  return {
    acts,
    refused: requested?.refused ?? [],
    isSettled: requested !== undefined && acts.every(isSettled),
    error,
  }
}
