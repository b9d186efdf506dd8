import { ClerkError } from '../errors.ts'

const HOUR_MS = 60 * 60 * 1000

/** How often a call of the backend API may be made in an hour, by all servers of the application together. */
export class CallQuota {
  readonly #callsPerHour: number
  #calledAt: number[] = []

  constructor(callsPerHour: number) {
    this.#callsPerHour = callsPerHour
  }

  /** Counts a call, or refuses it and returns the seconds to wait. `now` is the product's clock, in ms. */
  count(now: number): void {
    this.#calledAt = this.#calledAt.filter((at) => at > now - HOUR_MS)
    const [oldest = now] = this.#calledAt
    if (this.#calledAt.length >= this.#callsPerHour) {
      throw new ClerkError(
        429,
        { code: 'too_many_requests', message: 'Too many requests. Please try again in a bit.' },
        { retryAfterS: Math.ceil((oldest + HOUR_MS - now) / 1000) },
      )
    }
    this.#calledAt.push(now)
  }

  reset(): void {
    this.#calledAt = []
  }
}
