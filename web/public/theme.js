// Runs before the first paint, so that a dark page never flashes white. A file of its own because the content
// security policy forbids inline scripts.
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
