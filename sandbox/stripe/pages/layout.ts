import type { Context } from 'koa'
import { type Html, html, sendDocument } from '../../kit/html.ts'

/** What a page of the stand-in shows; one with a form has the script. */
export type Page = { title: string; body: Html; script?: string }

export const sendPage = (context: Context, page: Page): void => sendDocument(context, { ...page, styles })

export const sandboxBadge = html`<span class="badge" title="No real money moves here">Sandbox</span>`

export const backArrow = html`<span aria-hidden="true">←</span>`

/** The pages' one style sheet, inline: nothing is fetched from anywhere. */
const styles = `
:root {
  color-scheme: light dark;
  --side: light-dark(#f6f7f9, #12151d); --page: light-dark(#fff, #191d27); --ink: light-dark(#1a1f36, #eef0f6);
  --quiet: light-dark(#5b6479, #a6aec0); --line: light-dark(#d3d9e3, #394154); --accent: light-dark(#3b51d6, #7d92ff);
  --on-accent: light-dark(#fff, #0e1221); --bad: light-dark(#b3202f, #ff9aa4); --good: light-dark(#14713f, #7fdca8);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.45 system-ui, sans-serif; font-feature-settings: "tnum"; }
a { color: inherit; }
h1, h2, h3, p, ul, dl, dd, fieldset { margin: 0; padding: 0; border: 0; }
ul { list-style: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
small, .fine { display: block; color: var(--quiet); font-size: .85rem; margin-top: .25rem; }
.fine { margin-top: 1.5rem; }

.columns, .portal { min-height: 100vh; display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); }
.summary, .invoice, .single { background: var(--side); padding: 3rem 1.5rem; }
.summary > div { max-width: 26rem; margin-left: auto; padding-right: 1.5rem; }
.columns main > div, .portal main > div { max-width: 42rem; padding: 3rem 1.5rem 3rem 3rem; }
.payment > div, .step { max-width: 32rem; }
.invoice main, .single main { max-width: 38rem; margin: 0 auto; background: var(--page); border: 1px solid var(--line); border-radius: 14px; padding: 2rem; }
.invoice, .single { min-height: 100vh; }
.single main { max-width: 27rem; text-align: center; }
.single p, .lead, .headline { color: var(--quiet); margin-top: .6rem; }
.business { display: flex; align-items: center; gap: .75rem; font-weight: 600; }
.business a, .return, .back { color: var(--quiet); text-decoration: none; }
.return { display: block; margin-top: 1.5rem; }
.mark { width: 1.75rem; height: 1.75rem; border-radius: 50%; display: grid; place-items: center; background: var(--accent); color: var(--on-accent); }
.badge, .tag { font-size: .74rem; font-weight: 600; padding: .1rem .5rem; border-radius: 99px; border: 1px solid var(--line); color: var(--quiet); white-space: nowrap; align-self: center; }
.tag.good { color: var(--good); }
.tag.bad { color: var(--bad); }
h1 { font-size: 1.4rem; }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
.owed { margin: 2rem 0; }
.owed h1 { font-size: 1rem; font-weight: 500; color: var(--quiet); }
.owed p, .plan .price { font-size: 2.1rem; font-weight: 650; line-height: 1.2; }
.plan .price { font-size: 1.5rem; }
.owed p span, .plan .price span { font-size: 1rem; font-weight: 500; color: var(--quiet); }
.lines li, .totals div, .bill div, .single dl div, .row, .plan, details li { display: flex; justify-content: space-between; gap: 1.25rem; padding: .6rem 0; }
.totals div + div, .bill div + div, .row, .plan { border-top: 1px solid var(--line); }
.bill { margin-top: 1.5rem; }
.bill dt, .totals dt, .single dt, .facts dt { color: var(--quiet); }
.lines .amount, .bill dd, .invoices .sum { text-align: right; white-space: nowrap; }
.single dd, .row > div, .facts dd { overflow-wrap: anywhere; }
.due, .totals div:last-child { font-weight: 640; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem; }
.actions { width: 11.5rem; flex: none; }
table.invoices { width: 100%; border-collapse: collapse; }
.invoices td { padding: .7rem .75rem .7rem 0; border-bottom: 1px solid var(--line); }

label { display: block; font-size: .875rem; font-weight: 500; color: var(--quiet); margin: 1rem 0 .4rem; }
input:not([type=radio], [type=checkbox]), select { width: 100%; font: inherit; color: var(--ink); background: var(--page); border: 1px solid var(--line); border-radius: 8px; padding: .6rem .8rem; }
input[aria-invalid=true] { border-color: var(--bad); outline-color: var(--bad); }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; }
.quantity { max-width: 9rem; }
.methods, .choices, details { border: 1px solid var(--line); border-radius: 10px; margin-top: 1rem; }
.methods .choice, .choices label { display: flex; gap: .75rem; margin: 0; padding: .8rem 1rem; cursor: pointer; color: var(--ink); }
.choices span { flex: 1; }
.fields { padding: 0 1rem 1rem; }
.js .methods > div:not(:has(input[type=radio]:checked)) .fields { display: none; }
.error, .alert { color: var(--bad); font-size: .9rem; margin-top: .4rem; }
.alert, .notice { border: 1px solid; border-radius: 8px; padding: .7rem .9rem; margin: 0 0 1rem; }
.notice { color: var(--good); }
button, .button, .action { display: block; width: 100%; margin-top: 1rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; color: var(--on-accent); background: var(--accent); border: 1px solid transparent; border-radius: 8px; padding: .7rem 1rem; cursor: pointer; }
.button:not(.first), button.plain { background: var(--page); color: var(--ink); border-color: var(--line); }
button.danger { background: var(--bad); color: var(--page); }
button[aria-disabled=true] { opacity: .65; cursor: progress; }
.cancel { display: block; text-align: center; color: var(--quiet); margin-top: 1rem; }
details { padding: .6rem 1rem; font-size: .88rem; }
details li button { all: unset; cursor: pointer; font: .92em ui-monospace, monospace; text-decoration: underline dotted; }
details li button:focus-visible { outline: 3px solid var(--accent); }

@media (max-width: 800px) {
  .columns, .portal { grid-template-columns: minmax(0, 1fr); align-content: start; }
  .summary { padding: 1.5rem 1.25rem; }
  .summary > div, .columns main > div, .portal main > div { max-width: 34rem; margin: 0 auto; padding: 1.25rem; }
  .plan { flex-direction: column; }
  .actions { width: 100%; }
  .invoices .what { display: none; }
}
@media print { .badge { display: none; } }
`

/** Progressive enhancement: shows the chosen method's fields, types a test card, blocks a second click. */
export const script = `
document.documentElement.classList.add('js')
const form = document.querySelector('form')
const number = document.querySelector('[name=number]')
for (const hint of document.querySelectorAll('[data-card]')) {
  hint.addEventListener('click', () => {
    const choice = document.querySelector('[name=method][value=card]')
    if (choice) choice.checked = true
    number.value = hint.textContent
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
