import { useEffect, useRef } from 'react'
import { useLocation, useMatches } from 'react-router-dom'

/**
 * Moves the focus to the new page's content, as a full page load would. The route decides, not the address: the sign-in
 * widget walks through addresses of its own and must keep the focus in its fields.
 */
export function useRouteFocus(): void {
  const routeId = useMatches().at(-1)?.id
  const { hash } = useLocation()
  const shown = useRef(routeId)
  useEffect(() => {
    if (shown.current === routeId) return
    shown.current = routeId
    if (!hash) document.getElementById('main')?.focus({ preventScroll: true })
  }, [routeId, hash])
}
