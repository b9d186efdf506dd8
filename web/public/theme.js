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
// Clerk's loader waits fifteen seconds for the script of the document when that has failed before the loader runs.
addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLScriptElement && 'clerkJsScript' in target.dataset) target.remove()
  },
  true,
)
