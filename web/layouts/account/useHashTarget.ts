import { useEffect } from 'react'
import { useLocation } from 'react-router-dom'

/** Scrolls to the part of the page that the address names, also when the page appears only after signing in. */
export function useHashTarget(): void {
  const { hash, key } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key changes when the same link is followed again.
  useEffect(() => {
    if (hash) document.getElementById(hash.slice(1))?.scrollIntoView()
  }, [hash, key])
}
