import type { RouterContext } from '@koa/router'
import type { Middleware } from 'koa'
import type { Logger } from '../schema/log.ts'

/** What travels with one request. */
export interface RequestState {
  request_id: string
  trace: Trace
  /** Set by `authenticate`. */
  user_id?: string
  /** Set by `validate`. */
  query?: unknown
  body?: unknown
}

export type AppContext = RouterContext<RequestState>
export type AppMiddleware = Middleware<RequestState, AppContext>

/** The request's logger. What is noted stands on every later line, the request's own last one included. */
export interface Trace {
  readonly log: Logger
  note(fields: Readonly<Record<string, string>>): void
}

export function createTrace(base: Logger): Trace {
  let log = base
  return {
    get log() {
      return log
    },
    note(fields) {
      log = log.child(fields)
    },
  }
}
