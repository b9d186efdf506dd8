// Runs before the first paint of a page whose own scripts start after it: notes the clicks on what needs
// them, so that none is lost. Links work without. A file of its own because the content security policy
// forbids inline scripts.
;(() => {
  const clicked = []
  let tellFirst
  const first = new Promise((resolve) => {
    tellFirst = resolve
  })
  const note = (event) => {
    const control = event.target.closest('button, input')
    if (!control) return
    clicked.push(control)
    tellFirst()
  }
  document.addEventListener('click', note, true)
  window.earlyClicks = {
    first,
    repeat() {
      document.removeEventListener('click', note, true)
      for (const control of clicked) {
        // A radio button that is chosen already would not say so again.
        if (control.type === 'radio') control.checked = false
        // The browser has toggled a checkbox already.
        if (control.type === 'checkbox') control.checked = !control.checked
        control.click()
      }
    },
  }
})()
