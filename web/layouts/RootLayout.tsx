import { useEffect, useRef } from 'react'
import { Outlet, ScrollRestoration, useLocation, useMatches } from 'react-router-dom'

export function RootLayout() {
  useRouteFocus()
  return (
    <>
      <a
        href="#main"
        className="sr-only rounded-control bg-accent px-4 py-2 font-medium text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-50"
      >
        Skip to content
      </a>
      <Outlet />
      <ScrollRestoration />
    </>
  )
}

/**
 * Moves the focus to the content of a new page, as a full page load would. It depends on the route rather than the address,
 * because the sign-in form changes the address at each step and must keep the focus in its fields.
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
