import { type Html, html } from '../kit/html.ts'
import type { Account, Payer } from './product.ts'
import { type Running, requests, type Said, type Session } from './sessions.ts'

interface EditorView {
  readonly appUrl: string
  readonly session: Session
  /** Null while it is not known. */
  readonly account: Account | null
  readonly notice: string | null
}

const number = new Intl.NumberFormat('en-US')

/** A file on the left, the assistant on the right: forms and links only, without a script. */
export function editorPage(view: EditorView): Html {
  const { session, notice } = view
  const isSignedIn = session.token !== null
  return html`<header><h1>Sample editor</h1><span class="sample">Sandbox</span>
<p>It stands in for your editor with the extension: the replies are made up, the sign-in and the credits are real.</p></header>
<main>
<section class="file" aria-labelledby="file"><h2 id="file">tide.ts</h2>${code}</section>
<section class="assistant" aria-labelledby="assistant"><h2 id="assistant">Assistant</h2>
${notice === null ? null : html`<p class="bad" role="alert">${notice}</p>`}
${isSignedIn ? signedIn(view) : signedOut}
</section>
</main>
<footer>${isSignedIn ? html`<p>Signed in</p>${signOut}` : html`<p>Not signed in</p>`}</footer>`
}

const code = html`<pre tabindex="0" role="group" aria-label="The code of tide.ts"><b>export function</b> markOf(level: number): number {
  <b>const</b> lowest = -2.4
  <b>const</b> highest = 3.1
  <b>return</b> Math.min(Math.max(level, lowest), highest)
}</pre>`

const signedOut = html`<p>Sign in to use the credits of your account here.</p>
<form method="post" action="/sign-in"><label>Name of this computer <input name="computer" value="laptop" maxlength="40" autocomplete="off"></label>
<button class="primary">Sign in</button></form>`

const signOut = html`<form method="post" action="/sign-out"><button>Sign out</button></form>`

function signedIn({ appUrl, session, account }: EditorView): Html {
  const balance = account?.balance
  const payers = account?.payers ?? []
  const payer = payers.find(({ is_default }) => is_default)
  const page = payer && payer.id !== 'personal' ? '/organizations?tab=billing' : '/billing?tab=credits'
  return html`<section class="balance" aria-label="Balance">
${account ? payerOf(payers, payer) : null}<p><strong>${balance ? number.format(balance.available) : '–'}</strong> credits available${balance?.held ? ` · ${number.format(balance.held)} reserved` : null}</p>
${balance?.low ? html`<em>Running low</em>` : null}
<a href="${appUrl}${page}&amp;payer=${payer?.id ?? 'personal'}">Add credits</a></section>
${
  session.said.length > 0
    ? html`<section class="said" aria-label="Conversation">${session.said.map((said, at) => saidOf(said, { payers, isLatest: at === session.said.length - 1 }))}</section>`
    : null
}
${session.running.map(runningOf)}
<form method="post" action="/requests" aria-label="Requests">
${Object.entries(requests).map(
  ([name, { title, at_most }]) =>
    html`<button name="name" value="${name}">${title} <span>up to ${at_most} credits</span></button>`,
)}
</form>`
}

/** Who pays, and the other payers that could. */
function payerOf(payers: readonly Payer[], paying: Payer | undefined): Html {
  const others = payers.filter((payer) => payer !== paying && payer.cannot_pay !== 'no_seat')
  return html`<div class="payer"><p>Paid by <b>${paying?.name ?? 'nobody'}</b>${paying?.cannot_pay === 'no_seat' ? ' (no seat)' : null}</p>
${
  others.length > 0
    ? html`<details><summary>Change</summary><form method="post" action="/payer" aria-label="Who pays">${others.map(
        ({ id, name }) => html`<button name="payer" value="${id}">${name}</button>`,
      )}</form></details>`
    : null
}</div>`
}

function runningOf({ id, request }: Running): Html {
  return html`<form method="post" action="/running" class="running" aria-label="Running: ${request.title}">
<input type="hidden" name="id" value="${id}">
<p><b>${request.title}</b> is running. ${request.at_most} credits are reserved for it.</p>
<button name="end" value="finish">Let it finish</button><button name="end" value="stop">Stop</button></form>`
}

/** The latest one takes the focus when the page comes back with it. */
function saidOf(
  { title, text, charged, buy_url, other_payers = [] }: Said,
  { payers, isLatest }: { readonly payers: readonly Payer[]; readonly isLatest: boolean },
): Html {
  return html`<article${isLatest ? html` id="latest" tabindex="-1"` : null}><h3>${title}</h3>
${
  charged === undefined
    ? html`<p class="bad">${text}${buy_url ? html` <a href="${buy_url}">Add credits</a>` : null}</p>
${
  isLatest && other_payers.length > 0
    ? html`<form method="post" action="/payer" aria-label="Other ways">${other_payers.map(
        ({ id, available }) =>
          html`<button name="payer" value="${id}">Let ${payers.find((payer) => payer.id === id)?.name ?? id} pay <span>${number.format(available)} credits</span></button>`,
      )}</form>`
    : null
}`
    : html`<p>${text}</p>${charged > 0 ? html`<small>${number.format(charged)} credits used</small>` : null}`
}</article>`
}

export const editorStyles = `
:root { color-scheme: light dark; --ground: #f3f4f4; --pane: #fff; --ink: #18211f; --muted: #56615f; --line: #dbe0df; --accent: #0f766e; --on-accent: #fff; --soft: #e3f2f0; --bad: #b3261e; --bad-soft: #fdecea; --code: #0b5c55 }
@media (prefers-color-scheme: dark) { :root { --ground: #121716; --pane: #1a201f; --ink: #e6ebea; --muted: #a2aeab; --line: #303937; --accent: #5eead4; --on-accent: #06302b; --soft: #17332f; --bad: #ffb4ab; --bad-soft: #3b1a18; --code: #7fdfd0 } }
* { box-sizing: border-box; margin: 0 }
body { min-height: 100dvh; display: grid; grid-template-rows: auto 1fr auto; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif }
header, footer { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; padding: 8px 16px; font-size: 13px; color: var(--muted) }
h1 { font-size: 13px; font-weight: 600; color: var(--ink) }
.sample { border: 1px solid var(--line); border-radius: 999px; padding: 0 8px; background: var(--pane) }
main { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 400px); gap: 1px; background: var(--line); border-block: 1px solid var(--line) }
.file, .assistant { background: var(--pane); padding: 16px 20px }
.file { min-width: 0 }
h2 { font-size: 13px; font-weight: 600; color: var(--muted); margin-bottom: 12px }
pre { overflow-x: auto; font: 13px/1.7 ui-monospace, monospace }
pre b { color: var(--code); font-weight: 500 }
.assistant { display: flex; flex-direction: column; gap: 16px }
.assistant h2 { margin: 0 }
.balance { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline; justify-content: space-between; padding: 12px 14px; border: 1px solid var(--line); border-radius: 10px; font-variant-numeric: tabular-nums }
.balance strong { font-size: 22px; letter-spacing: -.02em }
.balance em { font-style: normal; color: var(--bad); font-size: 13px }
.payer { flex: 1 0 100%; display: flex; flex-wrap: wrap; gap: 4px 12px; justify-content: space-between; font-size: 13px; color: var(--muted) }
.payer p { flex: 1; min-width: 0; overflow-wrap: anywhere }
.payer b { color: var(--ink); font-weight: 600 }
summary { cursor: pointer; color: var(--accent); text-decoration: underline; text-underline-offset: 3px }
details[open] { flex-basis: 100% }
details form { margin: 8px 0 4px }
article form { margin-top: 8px }
a { color: var(--accent); text-underline-offset: 3px }
.said { display: grid; gap: 12px }
article { border-left: 2px solid var(--line); padding-left: 12px; border-radius: 4px }
article h3 { font-size: 14px; font-weight: 600 }
article p { margin-top: 2px }
article small { color: var(--muted); font-size: 13px }
.bad { border: 1px solid var(--bad); border-radius: 10px; background: var(--bad-soft); padding: 10px 14px }
form { display: grid; gap: 8px }
label { display: grid; gap: 4px; color: var(--muted); font-size: 13px }
input { width: 100%; padding: 8px 12px; border: 1px solid var(--muted); border-radius: 10px; background: var(--pane); color: var(--ink); font: inherit; font-size: 15px }
button { display: flex; justify-content: space-between; gap: 12px; width: 100%; padding: 10px 14px; border: 1px solid var(--line); border-radius: 10px; background: var(--pane); color: var(--ink); font: inherit; font-weight: 500; text-align: left; cursor: pointer }
button:hover { background: var(--soft) }
button span { color: var(--muted); font-weight: 400; white-space: nowrap }
.primary { justify-content: center; border-color: transparent; background: var(--accent); color: var(--on-accent) }
.primary:hover { background: var(--accent); filter: brightness(1.08) }
.running { grid-template-columns: 1fr 1fr; padding: 12px 14px; border: 1px dashed var(--muted); border-radius: 10px }
.running p { grid-column: 1 / -1 }
.running button { justify-content: center }
footer form { margin-left: auto }
footer button { width: auto; padding: 2px 8px; border-radius: 6px; font-size: 13px }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
@media (max-width: 760px) { main { grid-template-columns: minmax(0, 1fr); grid-template-rows: auto 1fr } .file { padding-block: 10px } pre { max-height: 116px } }
`
