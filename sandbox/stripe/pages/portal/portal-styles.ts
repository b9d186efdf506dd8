/** What the portal and the invoice page need beyond the payment page's style sheet. */
export const portalStyles = `
.portal { min-height: 100vh; display: grid; grid-template-columns: minmax(17rem, 34%) minmax(0, 1fr); }
.portal .summary > div { width: auto; max-width: 22rem; margin-left: auto; padding: 3.5rem 2.5rem 2rem 1.5rem; display: flex; flex-direction: column; min-height: 100vh; position: sticky; top: 0; }
.portal main > div { max-width: 44rem; padding: 3.5rem 1.5rem 4rem 3.5rem; }
.headline { font-size: 1.35rem; font-weight: 620; letter-spacing: -.015em; line-height: 1.3; margin-top: 2rem; text-wrap: balance; }
.return, .back { display: inline-flex; align-items: center; gap: .55rem; color: var(--quiet); text-decoration: none; font-weight: 550; font-size: .94rem; }
.return { margin-top: 1.75rem; }
.return:hover, .back:hover { color: var(--ink); }
.portal .summary .fine { margin-top: auto; padding-top: 2rem; }
.back + h1 { margin-top: 1.1rem; }
main h1 { font-size: 1.6rem; font-weight: 650; letter-spacing: -.02em; line-height: 1.25; }
main .lead { color: var(--quiet); margin-top: .5rem; max-width: 36rem; }

.block + .block { margin-top: 2.75rem; }
.bill + .block, .bill + form h2 { margin-top: 2rem; }
.step > .block:first-child { margin-top: 1.75rem; }
.block > h2 { font-size: .84rem; font-weight: 600; color: var(--quiet); padding-bottom: .7rem; border-bottom: 1px solid var(--line); }
.notice { display: flex; gap: .6rem; align-items: center; background: var(--good-soft); color: var(--good); border-radius: 8px; padding: .7rem .9rem; font-weight: 550; font-size: .94rem; margin-bottom: 2rem; }
.notice svg { flex: none; }
.alert a { color: inherit; font-weight: 600; white-space: nowrap; }
.block .alert { margin: 1rem 0 0; }

.plan { display: flex; justify-content: space-between; align-items: flex-start; gap: 1.5rem; padding-top: 1.1rem; }
.plan + .plan { border-top: 1px solid var(--line); margin-top: 1.4rem; padding-top: 1.4rem; }
.plan h3 { font-size: 1rem; font-weight: 600; margin: 0; display: flex; flex-wrap: wrap; align-items: center; gap: .6rem; }
.plan .price { font-size: 1.5rem; font-weight: 640; letter-spacing: -.02em; margin-top: .15rem; }
.plan .price span { font-size: .95rem; font-weight: 500; color: var(--quiet); letter-spacing: 0; }
.plan small, .row small { display: block; color: var(--quiet); font-size: .9rem; margin-top: .3rem; }
.tag { font-size: .74rem; font-weight: 600; padding: .12rem .5rem; border-radius: 99px; background: var(--summary); color: var(--quiet); border: 1px solid var(--line); white-space: nowrap; }
.tag.good { background: var(--good-soft); color: var(--good); border-color: transparent; }
.tag.bad { background: var(--danger-soft); color: var(--danger); border-color: transparent; }
.tag.note { background: var(--note-soft); color: var(--note); border-color: transparent; }

.actions { display: flex; flex-direction: column; gap: .55rem; flex: none; width: 11.5rem; }
.actions form { margin: 0; }
main .button, main button.plain {
  display: block; width: 100%; margin: 0; text-align: center; text-decoration: none; font: inherit; font-size: .92rem; font-weight: 600; padding: .58rem .9rem;
  border-radius: 8px; border: 1px solid var(--field-line); background: var(--field); color: var(--ink); box-shadow: var(--shadow); cursor: pointer;
}
main .button:hover, main button.plain:hover { border-color: var(--faint); }
main .button.first { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
main .button.first:hover { background: var(--accent-press); }
main button.danger { background: #c02c3b; color: #ffffff; }
main button.danger:hover { filter: brightness(.92); }

.row { display: flex; align-items: center; gap: .9rem; padding: .95rem 0; border-bottom: 1px solid var(--line); font-size: .95rem; }
.row > svg { color: var(--faint); flex: none; }
.row > div { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.row a { color: var(--accent); font-weight: 550; text-decoration: none; white-space: nowrap; }
.row a:hover { text-decoration: underline; }
.row.empty { color: var(--quiet); }
table.invoices { width: 100%; border-collapse: collapse; font-size: .94rem; }
.invoices td { padding: .8rem .75rem .8rem 0; border-bottom: 1px solid var(--line); vertical-align: middle; }
.invoices td:last-child { padding-right: 0; text-align: right; color: var(--quiet); }
.invoices a { display: inline-flex; align-items: center; gap: .4rem; text-decoration: none; font-weight: 550; white-space: nowrap; }
.invoices a:hover { color: var(--accent); }
.invoices svg { width: .95rem; height: .95rem; color: var(--faint); }
.invoices .sum { text-align: right; white-space: nowrap; }

.choices { border: 1px solid var(--field-line); border-radius: 10px; overflow: hidden; margin-top: 1.5rem; box-shadow: var(--shadow); }
.choices label { display: flex; align-items: center; gap: .85rem; margin: 0; padding: 1rem; cursor: pointer; color: var(--ink); font-size: .96rem; }
.choices label + label { border-top: 1px solid var(--line); }
.choices label:has(input:checked) { background: color-mix(in srgb, var(--accent) 7%, transparent); }
.choices label:has(input:focus-visible) { box-shadow: inset 0 0 0 3px var(--halo); }
.choices span { flex: 1; font-weight: 550; }
.choices small { display: block; font-weight: 400; color: var(--quiet); margin-top: .1rem; }
.choices input[type=radio] { appearance: none; width: 1.1rem; height: 1.1rem; margin: 0; flex: none; border-radius: 50%; border: 1.5px solid var(--faint); background: var(--field); }
.choices input[type=radio]:checked { border: .34rem solid var(--accent); }
.choices input[type=radio]:focus-visible { outline: none; }
.quantity { max-width: 9rem; }
.step { max-width: 32rem; }
.bill + .row { margin-top: .35rem; border-bottom: 0; }
.bill + .row + form button { margin-top: .5rem; }
.bill { margin-top: 1.75rem; border: 1px solid var(--line); border-radius: 12px; padding: .4rem 1.15rem; font-size: .95rem; }
.bill div { display: flex; justify-content: space-between; gap: 1.25rem; padding: .7rem 0; }
.bill div + div { border-top: 1px solid var(--line); }
.bill dt { color: var(--quiet); }
.bill dd { text-align: right; white-space: nowrap; }
.bill small { display: block; color: var(--faint); font-size: .84rem; margin-top: .1rem; }
.bill .due { font-weight: 640; }
.bill .due dt { color: var(--ink); }

@media (max-width: 800px) {
  .portal { grid-template-columns: minmax(0, 1fr); align-content: start; }
  .portal .summary > div { min-height: 0; position: static; max-width: 34rem; padding: 1.5rem 1.25rem; margin: 0 auto; }
  .headline { font-size: 1.1rem; margin-top: 1rem; }
  .return { margin-top: .9rem; }
  .portal .summary .fine { display: none; }
  .portal main > div { max-width: 34rem; margin: 0 auto; padding: 1.75rem 1.25rem 3rem; }
}
@media (max-width: 520px) {
  .plan { flex-direction: column; gap: 1.1rem; }
  .actions { width: 100%; }
  .invoices .what { display: none; }
}
`
