import getRawBody from 'raw-body'
import type { AppContext } from '../context.ts'
import { invalidRequest, refusal, ServerError } from '../errors.ts'

const jsonLimitBytes = 64 * 1024
export const webhookLimitBytes = 1024 * 1024

/** The raw body, up to a limit. Compressed bodies are not supported: none of our callers sends them. */
export async function readRawBody(ctx: AppContext, limit_bytes: number): Promise<Buffer> {
  try {
    return await getRawBody(ctx.req, { limit: limit_bytes, length: ctx.request.length ?? null })
  } catch (error) {
    if ((error as getRawBody.RawBodyError).type === 'entity.too.large') {
      throw new ServerError(413, 'body_too_large', `The request body is larger than ${limit_bytes} bytes`)
    }
    throw refusal('unreadable_body', { cause: error })
  }
}

export async function readJsonBody(ctx: AppContext): Promise<unknown> {
  if (!ctx.is('application/json')) throw refusal('invalid_content_type')
  const raw = await readRawBody(ctx, jsonLimitBytes)
  return parseJson(raw)
}

/** An OAuth form: each field at most once, empty fields count as missing (RFC 6749, section 3.2). */
export async function readFormBody(ctx: AppContext): Promise<Record<string, string>> {
  const fields = [...new URLSearchParams((await readRawBody(ctx, jsonLimitBytes)).toString('utf8'))]
  const seen = new Set<string>()
  for (const [name] of fields) {
    if (seen.has(name)) {
      throw invalidRequest(`${name} may be given only once`, [
        { path: name, message: 'May be given only once' },
      ])
    }
    seen.add(name)
  }
  return Object.fromEntries(fields.filter(([, value]) => value !== ''))
}

export function parseJson(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'))
  } catch (error) {
    throw refusal('invalid_json', { cause: error })
  }
}
