import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { build } from './build.ts'
import { withoutAddresses } from './mail-addresses.ts'
import { currentSpan } from './tracing.ts'

export type { Logger }

/**
 * The process's logger: JSON lines on stdout. Lines about a request, an intent or an event carry
 * `request_id`, `intent_id`, `event_id`, and where traces are collected `trace_id`, so that one search finds
 * the whole story of a purchase. Secrets that could ride along are removed.
 */
export function createLogger(options: {
  process: 'server' | 'worker'
  level: string
  /** Where the lines go instead of stdout. */
  destination?: DestinationStream
}): Logger {
  const settings: LoggerOptions = {
    level: options.level,
    base: { process: options.process, version: build.version },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: serializeError },
    // A last net: no key of an editor or of the operator, wherever in a line it stands.
    hooks: { streamWrite: (line) => line.replace(/\btide(?:op)?_[\w-]{20,}/g, '[removed]') },
    formatters: { level: (label) => ({ level: label }), log: (fields) => withoutSecrets(withSpan(fields)) },
  }
  // There is a line for each request and each event: those of a tenth of a second are written together. At
  // exit the rest is written.
  return pino(
    settings,
    options.destination ?? pino.destination({ sync: false, minLength: 8192, periodicFlush: 100 }),
  )
}

/** Not by pino's mixin, which copies every line, whether or not there is a span. */
function withSpan(fields: Record<string, unknown>): Record<string, unknown> {
  const span = currentSpan()
  return span ? { trace_id: span.trace_id, span_id: span.span_id, ...fields } : fields
}

const secrets = new Set(['authorization', 'cookie', 'access_token', 'code_verifier'])

/** Deeper than anything that is logged; whatever refers to itself ends here too. */
const maximumDepth = 8

/** Nearly all lines are flat and stay as they are; pino's own redaction would copy each of them. */
function withoutSecrets(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  if (isPlain(fields)) return fields
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      secrets.has(name) ? '[removed]' : clean(value, depth + 1),
    ]),
  )
}

/** Without a list of what it has: this is asked of every line. */
function isPlain(fields: Record<string, unknown>): boolean {
  for (const name in fields) {
    if (Object.hasOwn(fields, name) && (secrets.has(name) || holdsMore(fields[name]))) return false
  }
  return true
}

function clean(value: unknown, depth: number): unknown {
  if (!holdsMore(value)) return value
  if (depth > maximumDepth) return '[too deep]'
  return Array.isArray(value)
    ? value.map((item) => clean(item, depth + 1))
    : withoutSecrets(value as Record<string, unknown>, depth)
}

/** An error has a serializer, and whatever else is of a class says itself what it is in JSON. */
function holdsMore(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

/**
 * What a person needs of an error, its causes included. Libraries hang whole clients on theirs, with
 * addresses and settings, and those do not belong in a log; nor do the e-mail addresses that Stripe and Clerk
 * quote.
 */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { type, message, stack } = pino.stdSerializers.err(error)
  return {
    type,
    message: withoutAddresses(message),
    stack: withoutAddresses(stack),
    ...('code' in error && { code: error.code }),
  }
}
