import { describe, expect, it } from 'vitest'
import { readSidebarCookie, sidebarCookie } from './AccountLayout.tsx'

describe('the sidebar cookie', () => {
  it('lasts seven days', () => {
    expect(sidebarCookie(false)).toBe('sidebar_state=false; path=/; max-age=604800; samesite=lax')
  })

  it('the state is found among other cookies, and the sidebar is expanded without it', () => {
    expect(readSidebarCookie('a=b; sidebar_state=false; c=d')).toBe(false)
    expect(readSidebarCookie('a=b; sidebar_state=true')).toBe(true)
    expect(readSidebarCookie('other_sidebar_state=false')).toBe(true)
    expect(readSidebarCookie('')).toBe(true)
  })
})
