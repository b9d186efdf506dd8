import { useEffect, useRef } from 'react'
import { Outlet, ScrollRestoration, useLocation, useMatches } from 'react-router-dom'
import { SkipLink } from './Main.tsx'

export function RootLayout() {
  useRouteFocus()
  return (
    <>
      <SkipLink />
      <Outlet />
      <ScrollRestoration />
    </>
  )
}

/**
 * Moves the focus to the content of a new page, as a full page load would. It depends on the route rather
 * than the address, because the sign-in form changes the address at each step and must keep the focus in its
 * fields.
 */
function useRouteFocus(): void {
  const routeId = useMatches().at(-1)?.id
  const { hash } = useLocation()
  const shown = useRef(routeId)
  useEffect(() => {
    if (shown.current === routeId) return
    shown.current = routeId
    if (!hash) document.getElementById('main')?.focus({ preventScroll: true })
  }, [routeId, hash])
}
