/**
 * Progressive enhancement: groups the card number, shows the chosen method's fields, blocks a second click.
 */
export const script = `
document.documentElement.classList.add('js')
const form = document.querySelector('form')
const number = document.querySelector('[name=number]')
const expiry = document.querySelector('[name=expiry]')
const group = (digits) => /^3[47]/.test(digits)
  ? [digits.slice(0, 4), digits.slice(4, 10), digits.slice(10, 15)].filter(Boolean).join(' ')
  : (digits.match(/.{1,4}/g) ?? []).join(' ')
number?.addEventListener('input', () => {
  if (number.selectionStart === number.value.length) number.value = group(number.value.replace(/\\D/g, '').slice(0, 19))
})
expiry?.addEventListener('input', (event) => {
  const digits = expiry.value.replace(/\\D/g, '').slice(0, 4)
  const is_deleting = event.inputType?.startsWith('delete')
  const month = /^[2-9]/.test(digits) ? '0' + digits : digits
  if (!is_deleting && expiry.selectionStart === expiry.value.length) {
    expiry.value = month.length >= 2 ? month.slice(0, 2) + ' / ' + month.slice(2, 4) : month
  }
})
for (const hint of document.querySelectorAll('[data-card]')) {
  hint.addEventListener('click', () => {
    const choice = document.querySelector('[name=method][value=card]')
    if (choice) choice.checked = true
    number.value = group(hint.dataset.card)
    number.focus()
  })
}
const button = form?.querySelector('button[type=submit]')
const label = button?.textContent
form?.addEventListener('submit', (event) => {
  if (button.getAttribute('aria-disabled') === 'true') return event.preventDefault()
  button.setAttribute('aria-disabled', 'true')
  button.textContent = 'Processing…'
})
window.addEventListener('pageshow', () => {
  button?.removeAttribute('aria-disabled')
  if (button) button.textContent = label
})
document.querySelector('[aria-invalid=true]')?.focus()
`
