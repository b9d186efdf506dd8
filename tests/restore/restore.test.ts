import { expect, test } from 'vitest'
import { tried } from '../support/tried.ts'
import { runRestoreDrill } from './drill.ts'

test('a database that is lost is restored with all that was paid, once, and without a person who was erased since; only usage that no log was kept of is gone', async () => {
  tried({ restores: 2 })
  const { at_backup, at_crash, ...restored } = await runRestoreDrill(() => undefined)
  expect(at_backup).toEqual({ ada: 400, bob: 500, cleo: 0, eve: 480 })
  expect(at_crash).toEqual({ ada: 350, bob: 500, cleo: 500, dan: 500, eve: 480 })

  // With the log up to the crash nothing is missing.
  expect(restored.from_backup_and_archive).toEqual({
    found: at_crash,
    restored_checkouts: 0,
    missed_events: 0,
    balances: at_crash,
    missed_again: 0,
    balances_again: at_crash,
    problems: [],
    rows_naming_eve: { found: 0, left: 0 },
  })

  // Stripe keeps payments and refunds; usage is only ours: Ada's last 50 credits are available again.
  const withoutLastUsage = { ...at_crash, ada: 400 }
  expect(restored.from_backup_alone).toEqual({
    found: { ...at_backup, dan: 0 },
    restored_checkouts: 2,
    missed_events: expect.any(Number),
    balances: withoutLastUsage,
    missed_again: 0,
    balances_again: withoutLastUsage,
    problems: [],
    rows_naming_eve: { found: 4, left: 0 },
  })
  expect(restored.from_backup_alone.missed_events).toBeGreaterThan(0)
}, 180_000)
