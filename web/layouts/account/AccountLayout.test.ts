import { expect, it } from 'vitest'
import { sidebarCookie } from './AccountLayout.tsx'

it('the sidebar cookie lasts seven days', () => {
  expect(sidebarCookie(false)).toBe('sidebar_state=false; path=/; max-age=604800; samesite=lax')
})
