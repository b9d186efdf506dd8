import { useCallback, useEffect, useState } from 'react'
import { readSidebarCookie, sidebarCookie } from './sidebarCookie.ts'

/** Below this the sidebar is a sheet over the page. */
const mobileQuery = '(width < 768px)'

export interface SidebarState {
  /** On a wide screen: false leaves a rail of icons. Kept in a cookie. */
  expanded: boolean
  /** On a small screen: the sheet is over the page. Never kept. */
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
