export const styles = `
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
