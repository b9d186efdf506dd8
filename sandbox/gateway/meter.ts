import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'

/** An answer in place of the model's, with what the product said of it: who else could pay, and so on. */
export class Failure extends Error {
  readonly status: number
  readonly details: object
  constructor(status: number, text: string, details: object = {}) {
    super(text)
    this.status = status
    this.details = details
  }
}

const refused = z.looseObject({ error: z.string(), code: z.string() })
export const reserved = z.object({ hold: z.object({ id: z.uuid() }) })
export const settled = z.object({ charged: z.int() })

/** A call below `/api/extension/holds`. Made again it is the same call, so one whose answer was lost is. */
export type Meter = (path: string, body: object) => Promise<unknown>

export function meterAt({ appUrl, operatorKey }: Readonly<Record<'appUrl' | 'operatorKey', string>>): Meter {
  const headers = { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' }
  return async (path, body) => {
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    for (let tries = 0; tries < 5; tries++) {
      const response = await fetch(`${appUrl}/api/extension/holds${path}`, request).catch(() => null)
      if (response?.ok) return response.json()
      if (response && response.status < 500 && response.status !== 429) {
        const { error, ...details } = refused.parse(await response.json())
        throw new Failure(details.code === 'invalid_operator_key' ? 500 : response.status, error, details)
      }
      await setTimeout(100 * 2 ** tries)
    }
    throw new Failure(503, 'The meter does not answer.')
  }
}
