/**
 * A page that was opened before a release may request code that the release has replaced. Reloading gets the page and its code
 * from the same build. At most once a minute, so that code which is really missing shows an error instead of an endless reload.
 */
export function reloadAfterRelease(): void {
  const key = 'reloaded-after-release'
  window.addEventListener('vite:preloadError', (event) => {
    if (Date.now() - Number(sessionStorage.getItem(key)) < 60_000) return
    event.preventDefault()
    sessionStorage.setItem(key, String(Date.now()))
    window.location.reload()
  })
}
