import * as fc from 'fast-check'
import type { FaultyProduct } from './faulty-product.ts'

/** Faults during a purchase. Statements are counted from the step. */
export type Mishap =
  | { readonly do: 'crash_worker'; readonly statement: number; readonly moment: 'before' | 'after' }
  | { readonly do: 'crash_server'; readonly statement: number; readonly moment: 'before' | 'after' }
  | { readonly do: 'lose_enqueues'; readonly count: number }
  | { readonly do: 'lose_queues' }
  | { readonly do: 'break_stripe'; readonly fault: 'status' | 'drop_after' }

const moment = fc.constantFrom('before', 'after')

export const mishap: fc.Arbitrary<Mishap> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('crash_worker'),
      statement: fc.integer({ min: 1, max: 16 }),
      moment,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('crash_server'),
      statement: fc.integer({ min: 1, max: 6 }),
      moment,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('lose_enqueues'), count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose_queues') }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('break_stripe'), fault: fc.constantFrom('status', 'drop_after') }),
  },
)

const kinds: readonly string[] = [
  'crash_worker',
  'crash_server',
  'lose_enqueues',
  'lose_queues',
  'break_stripe',
]

export function isMishap(step: { readonly do: string }): step is Mishap {
  return kinds.includes(step.do)
}

export async function strike(product: FaultyProduct, step: Mishap): Promise<void> {
  switch (step.do) {
    case 'crash_worker':
      product.worker.proxy.strike({ ...step, action: () => product.crashWorker() })
      return
    case 'crash_server':
      product.serverProxy.strike({ ...step, action: () => product.crashServer() })
      return
    case 'lose_enqueues':
      product.loseEnqueues(step.count)
      return
    case 'lose_queues':
      await product.loseQueues()
      return
    case 'break_stripe':
      await product.stripe.knob('faults', {
        count: 2,
        ...(step.fault === 'status' ? { status: 500 } : { drop_after: true }),
      })
  }
}
