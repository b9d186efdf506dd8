const name = 'sidebar_state'
const lifetime_s = 7 * 24 * 60 * 60

export function sidebarCookie(expanded: boolean): string {
  return `${name}=${expanded}; path=/; max-age=${lifetime_s}; samesite=lax`
}

/** Expanded unless the cookie says otherwise. */
export function readSidebarCookie(cookies: string): boolean {
  return !cookies.split('; ').includes(`${name}=false`)
}
