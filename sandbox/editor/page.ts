import { Html, html } from '../kit/html.ts'
import type { Account, Payer } from './product.ts'
import { requests } from './requests.ts'
import type { Running, Said, Session } from './sessions.ts'
import { styles } from './styles.ts'

interface EditorView {
  readonly appUrl: string
  readonly session: Session
  /** Null while it is not known. */
  readonly account: Account | null
  readonly notice: string | null
}

const number = new Intl.NumberFormat('en-US')

/** A file on the left, the assistant on the right: forms and links only, without a script. */
export function editorPage(view: EditorView): string {
  const { session, notice } = view
  const isSignedIn = session.token !== null
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Sample editor</title>
<link rel="icon" href="data:,">
<style>${new Html(styles)}</style>
</head>
<body>
<header><h1>Sample editor</h1><span class="sample">Sandbox</span>
<p>It stands in for your editor with the extension: the replies are made up, the sign-in and the credits are real.</p></header>
<main>
<section class="file" aria-labelledby="file"><h2 id="file">tide.ts</h2>${code}</section>
<section class="assistant" aria-labelledby="assistant"><h2 id="assistant">Assistant</h2>
${notice === null ? null : html`<p class="bad" role="alert">${notice}</p>`}
${isSignedIn ? signedIn(view) : signedOut}
</section>
</main>
<footer>${isSignedIn ? html`<p>Signed in</p>${signOut}` : html`<p>Not signed in</p>`}</footer>
</body>
</html>
`.markup
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

function runningOf({ hold_id, request }: Running): Html {
  return html`<form method="post" action="/running" class="running" aria-label="Running: ${request.title}">
<input type="hidden" name="hold_id" value="${hold_id}">
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
