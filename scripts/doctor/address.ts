import { z } from 'zod'
import { explainError } from '../explain-error.ts'
import type { Configuration } from './configuration.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const healthSchema = z.object({ status: z.literal('ok') })

/** Checks that APP_URL reaches our server, encrypted, and only its public routes. */
export async function examineAddress({ env }: Configuration): Promise<Finding[]> {
  const base = env.APP_URL.replace(/\/+$/, '')
  const findings: Finding[] = []
  if (env.NODE_ENV === 'production' && new URL(base).protocol !== 'https:') {
    findings.push(
      problem('address', {
        text: `APP_URL is ${base}`,
        means: 'Sign-ins and tokens travel readable, and Clerk’s cookies are not accepted.',
        repair:
          'Put a proxy with a certificate before the server (docker-compose.yml has one), and set APP_URL to https://…',
      }),
    )
  }
  const answer = await ask(`${base}/healthz`)
  if (typeof answer === 'string') return [...findings, unanswered(base, answer)]
  if (!healthSchema.safeParse(answer.body).success)
    return [...findings, unanswered(base, 'something else answers')]
  const metrics = await ask(`${base}/metrics`)
  if (typeof metrics !== 'string' && metrics.text.includes('tidemark_')) {
    findings.push(
      warning('address', {
        text: `${base}/metrics is public`,
        means: 'Everybody can read how much is bought and how the queues stand.',
        repair: 'Let the proxy pass only PORT, never METRICS_PORT.',
      }),
    )
  }
  return findings.length > 0 ? findings : [ok('address', `${base} leads to our server`)]
}

function unanswered(base: string, reason: string): Finding {
  return problem('address', {
    text: `${base}/healthz: ${reason}`,
    means: 'People do not reach the product, and neither do webhooks.',
    repair: 'Start the server, then compare APP_URL with what the proxy passes on, and to which PORT.',
  })
}

async function ask(url: string): Promise<{ text: string; body: unknown } | string> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(10_000) })
    const text = await response.text()
    if (!response.ok) return `HTTP ${response.status}`
    return { text, body: parseJson(text) }
  } catch (error) {
    return explainError(error)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
