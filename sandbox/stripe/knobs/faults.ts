export type Fault = {
  /** Answer with this status before anything is done. */
  status: 429 | 500 | 502 | 503 | null
  /** Do what was asked, then close the connection without an answer: the case idempotency keys are made for. */
  drop_after: boolean
  /** How many calls are left; null: no limit. */
  count: number | null
  /** Until when, in real milliseconds; null: no limit. */
  until_ms: number | null
  path_prefix: string
  method: string | null
}

export type Faults = {
  add(fault: Fault): void
  clear(): void
  list(): Fault[]
  /** The fault that hits this call, if any; counts it. */
  take(call: { path: string; method: string }): Fault | null
}

/** Failures to come. In memory only: a restarted sandbox is a healthy one. */
export function createFaults(): Faults {
  let faults: Fault[] = []

  const living = () => {
    faults = faults.filter(
      ({ count, until_ms }) => count !== 0 && (until_ms === null || Date.now() < until_ms),
    )
    return faults
  }

  return {
    list: living,
    add: (fault) => faults.push(fault),
    clear() {
      faults = []
    },
    take({ path, method }) {
      const hit = living().find(
        (fault) => path.startsWith(fault.path_prefix) && (fault.method === null || fault.method === method),
      )
      if (hit && hit.count !== null) hit.count--
      return hit ?? null
    },
  }
}
