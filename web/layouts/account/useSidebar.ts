import { useCallback, useEffect, useState } from 'react'

/** Below this width the sidebar is a sheet over the page. */
const mobileQuery = '(width < 768px)'
const cookieName = 'sidebar_state'
const cookieLifetimeS = 7 * 24 * 60 * 60

export interface SidebarState {
  /** On a wide screen: false shows only icons. Remembered in a cookie. */
  expanded: boolean
  /** On a small screen: whether the sheet is open. Not remembered. */
  sheetOpen: boolean
  setSheetOpen: (open: boolean) => void
  toggle: () => void
}

export function useSidebar(): SidebarState {
  const [expanded, setExpanded] = useState(() => readSidebarCookie(document.cookie))
  const [sheetOpen, setSheetOpen] = useState(false)

  const toggle = useCallback(() => {
    if (window.matchMedia(mobileQuery).matches) {
      setSheetOpen((open) => !open)
      return
    }
    const next = !readSidebarCookie(document.cookie)
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser we serve.
    document.cookie = sidebarCookie(next)
    setExpanded(next)
  }, [])

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== 'b' ||
        !(event.ctrlKey || event.metaKey) ||
        event.shiftKey ||
        event.altKey
      )
        return
      event.preventDefault()
      toggle()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [toggle])

  return { expanded, sheetOpen, setSheetOpen, toggle }
}

export function sidebarCookie(expanded: boolean): string {
  return `${cookieName}=${expanded}; path=/; max-age=${cookieLifetimeS}; samesite=lax`
}

/** Expanded unless the cookie says otherwise. */
export function readSidebarCookie(cookies: string): boolean {
  return !cookies.split('; ').includes(`${cookieName}=false`)
}
