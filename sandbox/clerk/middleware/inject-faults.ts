import type { Middleware } from 'koa'
import { ClerkError } from '../errors.ts'

/** The next `count` calls under a path fail with a status, as a service in trouble would. */
export type Fault = { status: number; count: number; path_prefix: string; retry_after_s: number | null }

export class Faults {
  #planned: Fault[] = []

  plan(fault: Fault): void {
    this.#planned.push(fault)
  }

  clear(): void {
    this.#planned = []
  }

  list(): Fault[] {
    return this.#planned
  }

  take(path: string): Fault | undefined {
    const fault = this.#planned.find((row) => path.startsWith(row.path_prefix))
    if (!fault) return undefined
    fault.count -= 1
    this.#planned = this.#planned.filter((row) => row.count > 0)
    return fault
  }
}

export function injectFaults(faults: Faults): Middleware {
  return (ctx, next) => {
    const fault = ctx.path.startsWith('/_sandbox') ? undefined : faults.take(ctx.path)
    if (!fault) return next()
    if (fault.retry_after_s !== null) ctx.set('retry-after', String(fault.retry_after_s))
    const code = fault.status === 429 ? 'too_many_requests' : 'sandbox_fault'
    throw new ClerkError(fault.status, {
      code,
      message: `The sandbox was asked to answer ${fault.status} here`,
    })
  }
}
