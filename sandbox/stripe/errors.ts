import type { Collection } from '../kit/store.ts'

type ErrorBody = {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'
  message: string
  code?: string
  param?: string
  decline_code?: string
}

export class StripeFault extends Error {
  readonly status: number
  readonly body: ErrorBody
  readonly headers: Record<string, string>

  constructor(status: number, body: ErrorBody, headers: Record<string, string> = {}) {
    super(body.message)
    this.status = status
    this.body = body
    this.headers = headers
  }
}

export function invalidRequest(
  message: string,
  { status = 400, ...rest }: { status?: number; code?: string; param?: string } = {},
): StripeFault {
  return new StripeFault(status, { type: 'invalid_request_error', message, ...rest })
}

/** Stripe answers 404 for an unknown object in the path, and 400 in a parameter. */
export function noSuch(noun: string, id: string, param = 'id'): StripeFault {
  return invalidRequest(`No such ${noun}: '${id}'`, {
    status: param === 'id' ? 404 : 400,
    code: 'resource_missing',
    param,
  })
}

/** The row that a call names. */
export function existing<Row extends { id: string }>(
  table: Collection<Row>,
  noun: string,
  id: string | undefined,
  param?: string,
): Row {
  const row = table.get(id)
  if (!row) throw noSuch(noun, id ?? '', param)
  return row
}

export function idempotencyMismatch(key: string): StripeFault {
  return new StripeFault(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
  })
}

export type Decline = { code: string; decline_code: string | null; message: string }

/** The bank's refusal of a card, as the answer to a call. */
export function cardError({ code, decline_code, message }: Decline): StripeFault {
  return new StripeFault(402, {
    type: 'card_error',
    code,
    message,
    ...(decline_code !== null && { decline_code }),
  })
}
