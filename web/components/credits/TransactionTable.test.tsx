import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { PendingCredits } from './TransactionTable.tsx'

/** By the reader's clock. */
const at = (day: number, hour: number) => new Date(2026, 4, day, hour).toISOString()

function show(expires_at: string): string {
  const hold = {
    id: '1',
    credits: 75,
    expires_at,
    note: 'Chat',
    by: null,
    model: null,
    project: null,
    editor: null,
  }
  return renderToString(<PendingCredits pending={[hold]} as_of={at(4, 23)} />)
    .replace(/<[^>]+>/g, '')
    .replace(/\s/g, ' ')
}

test('reserved credits say when they expire, with the day only where that is not today', () => {
  expect(show(new Date(2026, 4, 4, 23, 15).toISOString())).toContain('75 credits reserved · expires 11:15 PM')
  expect(show(at(5, 0))).toContain('75 credits reserved · expires May 5 at 12:00 AM')
})
