import { useEffect } from 'react'
import { useLocation } from 'react-router-dom'

/**
 * Scrolls to the part of the page that the address names, when whatever calls it is first shown and whenever
 * the address changes.
 */
export function useHashTarget(): void {
  const location = useLocation()
  useEffect(() => {
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [location])
}
