import { renderToString } from 'react-dom/server'
import { MemoryRouter } from 'react-router-dom'
import { expect, test } from 'vitest'
import type { CaseSummary, SupportProblem } from '../../../../schema/api/support.ts'
import { ActContext } from '../../../components/support/acts/useAct.ts'
import { CaseSummaryCard } from './CaseSummaryCard.tsx'

const problem = (sentence: string): SupportProblem => ({
  sentence,
  credits: null,
  money: null,
  item_key: null,
  replay: { kind: 'event', id: 'evt_1' },
})
const figure = { is: 0, should: 0 }

function show(sentence: string, problems: SupportProblem[], known: Partial<CaseSummary> = {}): string {
  const case_summary: CaseSummary = {
    as_of: '2026-11-23T00:00:00Z',
    heard_until: '2026-11-22T23:58:00Z',
    is_heard_late: false,
    unapplied_events: 0,
    open_checkouts: 0,
    notices: [],
    agrees: problems.length === 0,
    sentence,
    problems,
    plan_type: { is: 'starter', should: 'starter' },
    balance: { plan: figure, purchased: figure, total: figure },
    spendable: { available: 0, held: 0, debt: 0 },
    grants: [],
    seats: null,
    ...known,
  }
  return renderToString(
    <MemoryRouter>
      <ActContext value={() => undefined}>
        <CaseSummaryCard summary={case_summary} owner="user_ada" />
      </ActContext>
    </MemoryRouter>,
  )
}

const countOf = (html: string, text: string) => html.split(text).length - 1

test.each([
  ['was heard until a moment ago', {}, 'bg-positive-soft', 'As far as Stripe was heard until'],
  ['was heard long ago', { is_heard_late: true }, 'bg-caution-soft', 'which is late'],
  [
    'was never compared',
    { heard_until: null, is_heard_late: true },
    'bg-caution-soft',
    'Nothing was compared',
  ],
  [
    'sent what is not applied',
    { unapplied_events: 2 },
    'bg-caution-soft',
    '2 events received and not applied',
  ],
  ['has an open page', { open_checkouts: 1 }, 'bg-caution-soft', '1 open payment page may be paid by now'],
])('a case without a problem is green only where Stripe was heard: Stripe %s', (_, known, tone, text) => {
  const html = show('All expected credits are present.', [], known)
  expect(html).toContain(tone)
  expect(html).toContain(text)
})

test('what explains a complaint is said although the credits agree', () => {
  const sentence = 'Card declined (insufficient funds): €20.00 is open.'
  const notices = [{ level: 'problem' as const, sentence, item_key: 'subscription:sub_1' }]
  const html = show('All expected credits are present.', [], { notices })
  expect(html).toMatch(/<li class.*Card declined/)
})

test('a single problem is the headline, with its button', () => {
  const html = show('Credits are missing.', [problem('Credits are missing.')])
  expect(countOf(html, '<li class')).toBe(0)
  expect(html).toContain('aria-keyshortcuts="r"')
})

test('the first of several problems is the headline, with its button, and is not listed again', () => {
  const html = show('Credits are missing. And 1 more thing needs a look.', [
    problem('Credits are missing.'),
    problem('The plan is another one.'),
  ])
  expect(countOf(html, '<li class')).toBe(1)
  expect(html).toMatch(/<li class.*The plan is another one/)
  expect(html).not.toMatch(/<li class.*Credits are missing/)
  expect(html).toContain('aria-keyshortcuts="r"')
})
