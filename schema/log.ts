import { type Logger, pino } from 'pino'

export type { Logger }

/**
 * The process's logger: JSON lines on stdout. Lines about a request, an intent or an event carry `request_id`, `intent_id`,
 * `event_id`, so that one search finds the whole story of a purchase. Secrets that could ride along are removed.
 */
export function createLogger(options: { process: 'server' | 'worker'; level: string }): Logger {
  return pino({
    level: options.level,
    base: { process: options.process },
    timestamp: pino.stdTimeFunctions.isoTime,
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
  })
}
