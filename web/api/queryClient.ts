import { QueryClient } from '@tanstack/react-query'
import { ApiFailure } from './failure.ts'

const gcTimeMs = 5 * 60_000
const retries = 3
const longestRetryDelayMs = 30_000

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        gcTime: gcTimeMs,
        staleTime: 10_000,
        retry: shouldRetry,
        retryDelay: retryDelayMs,
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      // Offline a call fails and says so, instead of waiting for the network with a button that stays busy.
      mutations: { networkMode: 'always' },
    },
  })
}

/** `failures` excludes the latest attempt, so it is 0 for the first retry. */
export function shouldRetry(failures: number, error: unknown): boolean {
  if (error instanceof ApiFailure && error.final) return false
  return failures < retries
}

export function retryDelayMs(failures: number): number {
  return Math.min(1000 * 2 ** failures, longestRetryDelayMs)
}
