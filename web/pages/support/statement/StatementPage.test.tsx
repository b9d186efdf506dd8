import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { StatementDay } from '../../../../schema/api/reconciliation.ts'
import { provenText } from '../../../components/support/labels.ts'
import { Verdict } from './StatementPage.tsx'

const day = (fields: Pick<StatementDay, 'date' | 'state' | 'agrees'>) =>
  ({ ...fields, money: null, balance: null, unexplained: [] }) as unknown as StatementDay
const open = day({ date: '2026-11-22', state: 'open', agrees: null })
const closed = day({ date: '2026-11-21', state: 'closed', agrees: true })
const show = (days: StatementDay[], provenDay: string | null) =>
  renderToString(<Verdict days={days} provenDay={provenDay} />)

test('days of which none is closed are not called unproven where reconciliation says that they are proven', () => {
  expect(show([open], '2026-11-22')).toContain(provenText('2026-11-22'))
  expect(show([open], null)).toContain(provenText(null))
  expect(show([open], '2026-11-22')).toContain('None of these days is closed')
})

test('the verdict says that closed days balance, and how many days are open', () => {
  expect(show([closed, open], '2026-11-22')).toMatch(/The statement balances.*1 day is not closed yet/)
  expect(show([closed], '2026-11-22')).toContain('Every day is closed')
})
