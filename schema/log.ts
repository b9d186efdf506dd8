import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { currentSpan } from './tracing.ts'

export type { Logger }

/**
 * The process's logger: JSON lines on stdout. Lines about a request, an intent or an event carry `request_id`, `intent_id`,
 * `event_id`, and where traces are collected `trace_id`, so that one search finds the whole story of a purchase. Secrets that could ride along are removed.
 */
export function createLogger(options: {
  process: 'server' | 'worker'
  level: string
  /** Where the lines go instead of stdout. */
  destination?: DestinationStream
}): Logger {
  const settings: LoggerOptions = {
    level: options.level,
    base: { process: options.process },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: serializeError },
    mixin: () => {
      const span = currentSpan()
      return span ? { trace_id: span.trace_id, span_id: span.span_id } : {}
    },
    formatters: { level: (label) => ({ level: label }), log: withoutSecrets },
  }
  // There is a line for each request and each event: those of a tenth of a second are written together. At exit the rest is written.
  return pino(
    settings,
    options.destination ?? pino.destination({ sync: false, minLength: 8192, periodicFlush: 100 }),
  )
}

const secrets = new Set(['authorization', 'cookie', 'access_token', 'code_verifier'])

/** Nearly all lines are flat and stay as they are; pino's own redaction would copy each of them. */
function withoutSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  if (!Object.entries(fields).some(([name, value]) => secrets.has(name) || isPlain(value))) return fields
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (secrets.has(name)) return [name, '[removed]']
      return [name, isPlain(value) ? withoutSecrets(value) : value]
    }),
  )
}

/** An error has a serializer, and whatever else is of a class says itself what it is in JSON. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/**
 * What a person needs of an error, its causes included. Libraries hang whole clients on theirs, with addresses and settings,
 * and those do not belong in a log.
 */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { type, message, stack } = pino.stdSerializers.err(error)
  return { type, message, stack, ...('code' in error && { code: error.code }) }
}
