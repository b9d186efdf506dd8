import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { WebConfigContext } from '../../api/catalogue.ts'
import { noCredits, summaryWith } from '../../testing/account.ts'
import { testConfig } from '../../testing/config.ts'
import { FirstSteps } from './FirstSteps.tsx'

const some = { had_credits: true }

/** What a reader sees, without markup. */
function show(changes: Parameters<typeof summaryWith>[0], connected = false): string {
  const as_of = '2026-02-02T12:00:00.000Z'
  const summary = summaryWith({ has_seat: true, balance: noCredits, as_of, ...changes })
  return renderToString(
    <WebConfigContext value={testConfig}>
      <FirstSteps summary={summary} connected={connected} />
    </WebConfigContext>,
  )
    .replaceAll(/<!-- -->/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
}

test('the credits of a plan are those that were bought, and are not said to last for ever', () => {
  const subscription = { credits_per_seat: 444 }
  const shown = show({ plan_type: 'pro', subscription, balance: { ...some, plan: 444 } })
  expect(shown).toContain('Your plan adds 444 credits every month.')
  expect(shown).not.toMatch(/never expire|Add credits/)
})

test('purchased credits are said to last', () => {
  expect(show({ balance: { ...some, purchased: 500 } })).toContain('Purchased credits never expire.')
  expect(show({})).toMatch(/2 Add credits .*Purchased credits never expire\./)
})

test('a member without a seat is not told of credits to use', () => {
  const member = { payer: 'org_1', may_manage: false, plan_type: 'teams', balance: some } as const
  expect(show({ ...member, has_seat: false })).toMatch(/2 Get a seat An administrator assigns it to you\./)
  expect(show({ ...member, has_seat: false })).not.toContain('Credits to use')
  expect(show(member)).toContain('Credits to use')
})

test('a member is asked to connect an editor, and not to buy', () => {
  const member = { payer: 'org_1', may_manage: false, plan_type: 'teams' } as const
  expect(show({ ...member, balance: some })).toContain('Connect your editor')
  expect(show(member)).toContain('An administrator can add credits.')
  expect(show({ ...member, balance: some }, true)).toBe('')
})
