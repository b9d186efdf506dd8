import { useSyncExternalStore } from 'react'

/**
 * False while the page is what the server rendered, so that the first rendering in the browser is the same.
 */
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
