import type { IncomingMessage } from 'node:http'
import qs from 'qs'
import getRawBody from 'raw-body'

/** Decoded form fields: text at the leaves, nested by bracket keys. */
export type Form = Record<string, unknown>

const body_limit = '1mb'

export function parseForm(text: string): Form {
  return qs.parse(text, { depth: 12, arrayLimit: 200, parameterLimit: 5000 })
}

export async function readForm(request: IncomingMessage): Promise<Form> {
  return parseForm(await readText(request))
}

export function readText(request: IncomingMessage): Promise<string> {
  return getRawBody(request, { encoding: 'utf8', limit: body_limit })
}
