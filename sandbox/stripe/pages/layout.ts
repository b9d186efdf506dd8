import type { RouterContext } from '@koa/router'
import { Html, html } from '../../kit/html.ts'

/** A whole document around a body. It loads no external assets, and search engines must not index it. */
export function page({
  title,
  body,
  script,
  styles: more = '',
}: {
  title: string
  body: Html
  script?: string
  styles?: string
}): string {
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(styles + more)}</style>
</head>
<body>
${body}
${script ? html`<script type="module">${new Html(script)}</script>` : null}
</body>
</html>
`
  return markup
}

export const sandboxBadge = html`<span class="badge" title="No real money moves here">Sandbox</span>`

/** Inline styles and script are the page's own; nothing may be loaded, and no other site may frame it. */
const content_policy =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"

export function sendPage(context: RouterContext, markup: string): void {
  context.type = 'html'
  context.set('cache-control', 'no-store')
  context.set('content-security-policy', content_policy)
  context.body = markup
}

const stroke = html`width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"`

export const arrowIcon = html`<svg ${stroke}><path d="M19 12H5m6 6-6-6 6-6"/></svg>`
export const cardIcon = html`<svg ${stroke}><rect x="2.5" y="5" width="19" height="14" rx="2.5"/><path d="M2.5 10h19M6.5 15h3"/></svg>`
export const bankIcon = html`<svg ${stroke}><path d="M3 9.5 12 4l9 5.5M5 10v8m4.7-8v8m4.6-8v8M19 10v8M3 20.5h18"/></svg>`
export const checkIcon = html`<svg ${stroke}><path d="m5 12.5 4.5 4.5L19 7.5"/></svg>`
export const clockIcon = html`<svg ${stroke}><circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/></svg>`
export const questionIcon = html`<svg ${stroke}><path d="M9 9.2a3 3 0 1 1 4.3 2.7c-.9.5-1.3 1-1.3 2.1M12 17.6v.1"/></svg>`
export const receiptIcon = html`<svg ${stroke}><path d="M6 3.5h12v17l-2.4-1.6-1.8 1.6-1.8-1.6-1.8 1.6-1.8-1.6L6 20.5zM9 8.5h6M9 12.5h6"/></svg>`
export const externalIcon = html`<svg ${stroke}><path d="M14 4.5h5.5V10M19.5 4.5 11 13M17.5 13.5v5a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1h5"/></svg>`

/** The pages' one style sheet, inline: nothing is fetched from anywhere. */
const styles = `
:root {
  color-scheme: light dark;
  --summary: #f6f7f9; --page: #ffffff; --ink: #1a1f36; --quiet: #5b6479; --faint: #6a7386;
  --line: #e1e5ec; --field: #ffffff; --field-line: #d3d9e3; --accent: #3b51d6; --accent-ink: #ffffff;
  --accent-press: #2f43b8; --halo: rgb(59 81 214 / .18); --danger: #b3202f; --danger-soft: #fdf1f2;
  --good: #14713f; --good-soft: #eaf6ef; --note: #8a5a00; --note-soft: #fff6e2; --shadow: 0 1px 2px rgb(26 31 54 / .06);
}
@media (prefers-color-scheme: dark) {
  :root {
    --summary: #12151d; --page: #191d27; --ink: #eef0f6; --quiet: #a6aec0; --faint: #7d869a;
    --line: #2b3140; --field: #1f2430; --field-line: #394154; --accent: #7d92ff; --accent-ink: #0e1221;
    --accent-press: #93a5ff; --halo: rgb(125 146 255 / .28); --danger: #ff9aa4; --danger-soft: #331d23;
    --good: #7fdca8; --good-soft: #15291f; --note: #f0c46c; --note-soft: #2d2615; --shadow: none;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink); line-height: 1.45; font-size: 16px;
  font-family: Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  -webkit-font-smoothing: antialiased; font-feature-settings: "tnum";
}
a { color: inherit; }
h1, h2, p, ul, dl, dd, fieldset, figure { margin: 0; padding: 0; border: 0; }
ul { list-style: none; }
:focus-visible { outline: 3px solid var(--halo); outline-offset: 2px; border-radius: 6px; }

.columns { min-height: 100vh; display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
.summary { background: var(--summary); border-right: 1px solid var(--line); }
.summary > div { width: min(26rem, 100%); margin-left: auto; padding: 3.5rem 3.5rem 3rem 1.5rem; }
.payment > div { width: min(29rem, 100%); padding: 3.5rem 1.5rem 3rem 3.5rem; }

.business { display: flex; align-items: center; gap: .75rem; font-weight: 600; min-height: 2rem; }
.business a { display: inline-flex; align-items: center; gap: .5rem; text-decoration: none; color: var(--quiet); font-weight: 500; }
.business a:hover { color: var(--ink); }
.mark {
  width: 1.75rem; height: 1.75rem; border-radius: 50%; display: grid; place-items: center; flex: none;
  background: var(--accent); color: var(--accent-ink); font-size: .85rem; font-weight: 650;
}
.badge {
  font-size: .72rem; font-weight: 600; letter-spacing: .02em; color: var(--note); background: var(--note-soft);
  padding: .15rem .5rem; border-radius: 99px; white-space: nowrap;
}
.owed { margin-top: 2.75rem; }
.owed h1 { font-size: 1rem; font-weight: 500; color: var(--quiet); }
.owed p { font-size: 2.5rem; font-weight: 650; letter-spacing: -.025em; line-height: 1.2; margin-top: .15rem; }
.owed p span { font-size: 1.05rem; font-weight: 500; color: var(--quiet); letter-spacing: 0; white-space: nowrap; }
.owed small { display: block; color: var(--quiet); font-size: .95rem; margin-top: .3rem; }
.lines { margin-top: 2.25rem; font-size: .94rem; }
.lines li { display: flex; justify-content: space-between; gap: 1.5rem; padding: .1rem 0 1rem; }
.lines b { font-weight: 550; display: block; }
.lines small { color: var(--quiet); font-size: .85rem; font-weight: 400; display: block; margin-top: .1rem; }
.lines .amount { text-align: right; white-space: nowrap; font-weight: 550; }
.totals { border-top: 1px solid var(--line); padding-top: 1rem; font-size: .94rem; }
.totals div { display: flex; justify-content: space-between; padding: .25rem 0; color: var(--quiet); }
.totals div:last-child { border-top: 1px solid var(--line); margin-top: .75rem; padding-top: 1rem; color: var(--ink); font-weight: 600; }

h2 { font-size: 1.06rem; font-weight: 620; letter-spacing: -.005em; }
form h2:not(:first-child) { margin-top: 2rem; }
label, .label { display: block; font-size: .875rem; font-weight: 500; color: var(--quiet); margin: 1rem 0 .4rem; }
input:not([type=radio], [type=checkbox]) {
  width: 100%; font: inherit; color: var(--ink); background: var(--field); border: 1px solid var(--field-line);
  border-radius: 8px; padding: .66rem .8rem; box-shadow: var(--shadow); transition: border-color .12s, box-shadow .12s;
}
input::placeholder { color: var(--faint); }
input:not([type=radio], [type=checkbox]):focus { outline: none; border-color: var(--accent); box-shadow: 0 0 0 3px var(--halo); }
input:not([type=radio], [type=checkbox])[aria-invalid=true] { border-color: var(--danger); }
label.check { position: relative; padding-left: 1.75rem; line-height: 1.45; }
.check input { position: absolute; left: 0; top: .1em; width: 1.1rem; height: 1.1rem; margin: 0; accent-color: var(--accent); cursor: pointer; }
.check input:focus-visible { outline: 3px solid var(--halo); }
.check input[aria-invalid=true] { outline: 1.5px solid var(--danger); }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; }
.error { color: var(--danger); font-size: .85rem; margin-top: .4rem; }

.methods { border: 1px solid var(--field-line); border-radius: 10px; margin-top: 1rem; overflow: hidden; box-shadow: var(--shadow); }
.methods > div + div { border-top: 1px solid var(--line); }
.methods .choice {
  display: flex; align-items: center; gap: .75rem; margin: 0; padding: .9rem 1rem; cursor: pointer; color: var(--ink); font-size: .95rem; font-weight: 550;
}
.methods .choice span { flex: 1; }
.methods .choice svg { color: var(--faint); flex: none; }
.methods input[type=radio] {
  appearance: none; width: 1.1rem; height: 1.1rem; margin: 0; flex: none; border-radius: 50%;
  border: 1.5px solid var(--faint); background: var(--field); transition: border-width .12s;
}
.methods input[type=radio]:checked { border: .34rem solid var(--accent); }
.methods > div:has(input[type=radio]:focus-visible) { box-shadow: inset 0 0 0 3px var(--halo); }
.methods input[type=radio]:focus-visible { outline: none; }
.fields { padding: 0 1rem 1.15rem; }
fieldset .fields > label:first-child { margin-top: .1rem; }
.fields > p:not(.error) { color: var(--quiet); font-size: .9rem; }
.js .methods > div:not(:has(input[type=radio]:checked)) .fields { display: none; }

button {
  width: 100%; margin-top: 1.75rem; font: inherit; font-weight: 600; color: var(--accent-ink); background: var(--accent);
  border: 0; border-radius: 8px; padding: .82rem 1rem; cursor: pointer; transition: background .12s;
}
button:hover { background: var(--accent-press); }
button[aria-disabled=true] { opacity: .65; cursor: progress; }
.cancel { display: block; text-align: center; color: var(--quiet); font-size: .9rem; margin-top: 1rem; }
.cancel:hover { color: var(--ink); }
.alert { color: var(--danger); background: var(--danger-soft); border-radius: 8px; padding: .75rem .9rem; margin-bottom: 1.5rem; font-size: .94rem; font-weight: 500; }
.fine { color: var(--faint); font-size: .82rem; margin-top: 2rem; }
.fine.consent { margin-top: 1rem; }

details { margin-top: 1.5rem; border: 1px solid var(--line); border-radius: 10px; font-size: .88rem; }
summary { cursor: pointer; padding: .75rem 1rem; color: var(--quiet); font-weight: 500; list-style: none; display: flex; justify-content: space-between; }
summary::-webkit-details-marker { display: none; }
summary::after { content: "+"; color: var(--faint); font-size: 1.1em; line-height: 1.2; }
details[open] summary::after { content: "–"; }
details ul { padding: .1rem 1rem .85rem; }
details li { display: flex; justify-content: space-between; gap: 1rem; padding: .28rem 0; color: var(--quiet); }
code { font: .92em ui-monospace, SFMono-Regular, Menlo, monospace; color: var(--ink); white-space: nowrap; }
details li button { all: unset; cursor: pointer; font: .92em ui-monospace, SFMono-Regular, Menlo, monospace; color: var(--ink); white-space: nowrap; border-bottom: 1px dotted var(--faint); }
details li button:hover { color: var(--accent); }
details li button:focus-visible { outline: 3px solid var(--halo); border-radius: 3px; }

.single { min-height: 100vh; display: grid; place-items: center; padding: 2rem 1.25rem; background: var(--summary); }
.single main { width: min(27rem, 100%); background: var(--page); border: 1px solid var(--line); border-radius: 14px; padding: 2.25rem; text-align: center; }
.single h1 { font-size: 1.35rem; font-weight: 640; letter-spacing: -.015em; margin-top: 1.25rem; }
.single p { color: var(--quiet); margin-top: .6rem; }
.sign { width: 3rem; height: 3rem; border-radius: 50%; margin: 0 auto; display: grid; place-items: center; background: var(--note-soft); color: var(--note); }
.sign.good { background: var(--good-soft); color: var(--good); }
.single dl { margin-top: 1.5rem; border-top: 1px solid var(--line); text-align: left; font-size: .94rem; }
.single dl div { display: flex; justify-content: space-between; gap: 1rem; padding: .7rem 0; border-bottom: 1px solid var(--line); }
.single dt { color: var(--quiet); }
.single dd { text-align: right; overflow-wrap: anywhere; }
.action { display: block; text-align: center; margin-top: 1.75rem; padding: .8rem 1rem; border-radius: 8px; background: var(--accent); color: var(--accent-ink); font-weight: 600; text-decoration: none; }
.action:hover { background: var(--accent-press); }

@media (max-width: 800px) {
  .columns { grid-template-columns: minmax(0, 1fr); align-content: start; }
  .summary { border-right: 0; border-bottom: 1px solid var(--line); }
  .summary > div, .payment > div { width: auto; max-width: 34rem; margin: 0 auto; padding: 1.5rem 1.25rem 1.75rem; }
  .owed { margin-top: 1.5rem; }
  .owed p { font-size: 2.1rem; }
  .lines { margin-top: 1.35rem; }
}
`

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
