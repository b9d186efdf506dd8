import { billingDue } from '../billing/billing-due.ts'
import type { World } from '../world.ts'
import { paymentsDue } from './payments-due.ts'

/** Something that happens by itself at a moment of the sandbox's clock. */
export type Due = { at_ms: number; act(): void }

/**
 * What the passing of time brings about, up to a moment, in the order in which it falls due: what one thing causes may
 * be due before the next. The clock goes along, so that each thing carries its own time. Called by a timer, and by the
 * knob that moves the clock.
 */
export function runDueWork(world: World, until_ms = world.clock.nowMs()): void {
  while (true) {
    const due = [...paymentsDue(world), ...billingDue(world)].filter(({ at_ms }) => at_ms <= until_ms)
    if (due.length === 0) return
    const at_ms = due.reduce((first, one) => Math.min(first, one.at_ms), Number.POSITIVE_INFINITY)
    world.clock.moveTo(at_ms)
    // At one moment only the first of them: it may have settled the others, as a cancellation does a renewal.
    due.find((one) => one.at_ms === at_ms)?.act()
  }
}
