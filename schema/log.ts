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
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: [
        'req.headers.authorization',
        'req.headers.cookie',
        '*.authorization',
        '*.access_token',
        '*.code_verifier',
      ],
      censor: '[removed]',
    },
  }
  // A server writes a line for each request: those that come while others are being written go together. At exit the rest is written.
  return pino(settings, options.destination ?? pino.destination({ sync: options.process !== 'server' }))
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
