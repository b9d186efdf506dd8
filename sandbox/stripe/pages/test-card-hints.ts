import { html } from './html.ts'

const hints = [
  ['4242424242424242', 'Pays'],
  ['4000000000000002', 'Is declined'],
  ['4000000000009995', 'Has insufficient funds'],
  ['4000000000000341', 'Pays now, fails at renewal'],
  ['4000000000000259', 'Pays, then is disputed'],
] as const

/** For whoever is curious. Any future date and any security code go with these numbers. */
export const testCardHints = html`<details><summary>Test cards</summary><ul>
${hints.map(
  ([number, effect]) =>
    html`<li><button type="button" data-card="${number}">${number.replaceAll(/(.{4})(?=.)/g, '$1 ')}</button><span>${effect}</span></li>`,
)}
<li><span>Any future date, any three-digit code.</span></li>
</ul></details>`
