/** The pages' one style sheet, inline: nothing is fetched from anywhere. */
export const styles = `
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
