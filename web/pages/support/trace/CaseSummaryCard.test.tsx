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

function show(sentence: string, problems: SupportProblem[]): string {
  const case_summary: CaseSummary = {
    as_of: '2026-11-23T00:00:00Z',
    agrees: problems.length === 0,
    sentence,
    problems,
    plan_type: { is: 'starter', should: 'starter' },
    balance: { plan: figure, purchased: figure, total: figure },
    grants: [],
    seats: null,
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
