// Runs before the first paint against a white flash. A separate file because the CSP forbids inline scripts.
;(() => {
  let theme = 'system'
  try {
    theme = localStorage.getItem('theme') ?? 'system'
  } catch {
    // Storage may be blocked; the system's theme applies then.
  }
  const dark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.add(dark ? 'dark' : 'light')
})()
// Clerk's loader waits fifteen seconds for a script of the document that failed before the loader ran.
addEventListener('error', ({ target }) => target.dataset?.clerkJsScript === '' && target.remove(), true)
