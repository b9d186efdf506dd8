import type { Context, Middleware } from 'koa'

/** Errors are sent in the format of the service that the sandbox replaces. */
export function answerErrors(
  toAnswer: (
    error: unknown,
    context: Context,
  ) => {
    status: number
    body: object
    headers?: Record<string, string>
  },
): Middleware {
  return async (context, next) => {
    try {
      await next()
    } catch (error) {
      const { status, body, headers = {} } = toAnswer(error, context)
      context.set(headers)
      context.status = status
      context.body = body
    }
  }
}

/** The changes that an answer reports are written before it is sent, so they survive a `kill -9`. */
export function flushBeforeAnswering(store: { flush(): void }): Middleware {
  return async (_context, next) => {
    await next()
    store.flush()
  }
}

/** Failures that were ordered by a knob: calls under a path fail, a number of times or for a while. */
export type Fault = {
  /** Answer with this status before anything is done. */
  status: number | null
  /** Does the work, then closes the connection without an answer: the case for idempotency keys. */
  drop_after?: boolean
  /** Does the work at once, but delays the answer until it is released. */
  hold?: boolean
  without?: readonly string[]
  /** How many calls are left; null: no limit. */
  count: number | null
  /** Until when, in real milliseconds; null: no limit. */
  until_ms?: number | null
  path_prefix: string
  method?: string | null
  retry_after_s?: number | null
}

/** In memory only: a restart ends all faults. */
export class Faults {
  #faults: Fault[] = []
  #held: (() => void)[] = []

  add(fault: Fault): void {
    this.#faults.push(fault)
  }

  clear(): void {
    this.#faults = []
    this.release()
  }

  get held(): number {
    return this.#held.length
  }

  /** Resolves when the answers that are kept back are released. */
  hold(): Promise<void> {
    return new Promise((resolve) => this.#held.push(resolve))
  }

  /** Sends the answers that are kept back, in the order of their calls. Returns how many. */
  release(): number {
    const held = this.#held
    this.#held = []
    for (const send of held) send()
    return held.length
  }

  list(): Fault[] {
    this.#faults = this.#faults.filter(
      ({ count, until_ms = null }) => count !== 0 && (until_ms === null || Date.now() < until_ms),
    )
    return this.#faults
  }

  /** The fault that hits this call, if any; counts it. */
  hit({ path, method }: { path: string; method: string }): Fault | null {
    const found = this.list().find(
      (fault) => path.startsWith(fault.path_prefix) && (fault.method ?? method) === method,
    )
    if (found?.count) found.count--
    return found ?? null
  }
}

/** Makes the chosen calls fail before or after their work, or delays their answers. */
export function injectFaults(
  faults: Faults,
  { flush, toError }: { flush: () => void; toError: (status: number) => Error },
): Middleware {
  return async (context, next) => {
    const fault = context.path.startsWith('/_sandbox') ? null : faults.hit(context)
    if (typeof fault?.retry_after_s === 'number') context.set('retry-after', String(fault.retry_after_s))
    if (fault?.status) throw toError(fault.status)
    await next()
    if (fault?.without?.length) context.body = withoutFields(Object(context.body), fault.without)
    if (!fault?.drop_after && !fault?.hold) return
    flush()
    if (fault.hold) return faults.hold()
    context.respond = false
    context.req.socket.destroy()
  }
}

function withoutFields(answer: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !fields.includes(name)))
}
