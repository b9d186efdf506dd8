import { useSyncExternalStore } from 'react'

/** False in the first rendering, which must equal the server's. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  )
}

function subscribe(): () => void {
  return () => undefined
}
