import type { RouterContext } from '@koa/router'
import type { Middleware } from 'koa'
import type { BodyOf, Endpoint, QueryOf } from '../schema/api/endpoint.ts'
import type { Logger } from '../schema/log.ts'
import { currentSpan, noteInSpan } from '../schema/tracing.ts'
import type { Failure } from './failures.ts'

/** What travels with one request. */
export interface RequestState {
  request_id: string
  trace: RequestLog
  /** Where the request comes from; see client-address.ts. */
  network: string
  /** Set by `authenticate`. */
  user_id?: string
  /** Of Clerk's, where the user is signed in. */
  session_id?: string
  /** Set by `validate`. */
  query?: unknown
  body?: unknown
  /** Set by a route while its handler runs: how errors are reported from then on. */
  failure?: Failure | undefined
  /** Set by a route that OAuth clients call: errors get the fields that those clients read. */
  error_format?: 'oauth'
}

export type AppContext = RouterContext<RequestState>
export type AppMiddleware = Middleware<RequestState, AppContext>

/** What a handler is given: parsed input, and the user's id where the endpoint requires a token. */
export interface RequestOf<E extends Endpoint> {
  readonly query: QueryOf<E>
  readonly body: BodyOf<E>
  readonly user_id: E['auth'] extends 'public' ? undefined : string
  /** Of Clerk's, where the caller is signed in. */
  readonly session_id: string | null
  /** Where an anonymous caller is; see client-address.ts. */
  readonly network: string
  readonly trace: RequestLog
  /** A fresh UUID, in the order of time (decision 163); where the endpoint is idempotent, the same for every try under one Idempotency-Key. */
  readonly attempt_id: string
}

/** The request's logger. Noted fields appear on every later line, including the final line of the request. */
export interface RequestLog {
  readonly request_id: string
  readonly log: Logger
  note(fields: Readonly<Record<string, string>>): void
  /** The line that ends the request, with everything that was noted. */
  end(level: 'debug' | 'info', fields: Readonly<Record<string, unknown>>): void
}

export function createRequestLog(base: Logger, request_id: string): RequestLog {
  // A logger of its own costs more than the one line that most requests write, so it is made when somebody writes one.
  let noted: Record<string, string> = { request_id }
  let log: Logger | undefined
  return {
    request_id,
    get log() {
      log ??= base.child(noted)
      return log
    },
    note(fields) {
      noted = { ...noted, ...fields }
      log = undefined
      if (currentSpan()) noteInSpan(attributesOf(fields))
    },
    end(level, fields) {
      base[level]({ ...noted, ...fields }, 'Request')
    },
  }
}

/** Whose request it is stays in the log: traces tell what happened to which event or checkout. */
const inTraces = ['event_id', 'event_type', 'intent_id', 'session_id', 'error_code']

function attributesOf(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => inTraces.includes(name))
      .map(([name, value]) => [`tidemark.${name}`, value]),
  )
}
