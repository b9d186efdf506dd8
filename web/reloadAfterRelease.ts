const key = 'reloaded-after-release'
const pauseMs = 60_000
let isReloading = false

/**
 * A page that was opened before a release may request code that the release has replaced. Reloading gets the
 * page and its code from the same build. Once a minute at most, so that code which is really missing shows an
 * error instead of an endless reload.
 */
export function reloadAfterRelease(): void {
  window.addEventListener('vite:preloadError', () => {
    // Offline a reload would replace the page by an error page of the browser.
    if (isReloading || !navigator.onLine || !mayReload()) return
    isReloading = true
    // In a moment: by then the router has written the address of the page that needs the code.
    setTimeout(() => window.location.reload())
  })
}

/** While the page is about to be reloaded, an error screen would only flash. */
export function isReloadingAfterRelease(): boolean {
  return isReloading
}

/** Without a place to remember it, a reload could repeat for ever. */
function mayReload(): boolean {
  try {
    if (Date.now() - Number(sessionStorage.getItem(key)) < pauseMs) return false
    sessionStorage.setItem(key, String(Date.now()))
    return true
  } catch {
    return false
  }
}
