import { useSyncExternalStore } from 'react'

export function useScrolledPast(offset_px: number): boolean {
  return useSyncExternalStore(subscribe, () => window.scrollY > offset_px)
}

function subscribe(notify: () => void): () => void {
  window.addEventListener('scroll', notify, { passive: true })
  return () => window.removeEventListener('scroll', notify)
}
