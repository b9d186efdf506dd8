import type * as z from 'zod/mini'

/**
 * Who may call: `public` needs nothing, `user` needs a Clerk bearer token, `extension` the long-lived token
 * of an editor, or where the call `meters` an operator's key; neither token works for the other's calls. `support` needs a Clerk bearer token of a user
 * whom Clerk, asked at that moment, calls support staff; for other callers the call does not exist. Whether
 * the ids in the request belong to the caller is checked by the route's rights before a row is touched.
 */
export type EndpointAuth = 'public' | 'user' | 'extension' | 'support'

/** A group of calls that share one budget of requests a minute. */
export type RateLimit = 'read' | 'write' | 'auth' | 'checkout' | 'sign_in' | 'extension' | 'operator' | 'page'

export interface Endpoint<
  Query extends z.core.$ZodType = z.core.$ZodType,
  Body extends z.core.$ZodType = z.core.$ZodType,
  Response extends z.core.$ZodType = z.core.$ZodType,
  Params extends z.core.$ZodType = z.core.$ZodType,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** May name parameters, each a whole segment: `/api/extension/holds/{id}`. */
  readonly path: `/${string}`
  readonly summary: string
  readonly auth: EndpointAuth
  readonly limit: RateLimit
  /**
   * It charges a user for what they used: an operator's key may call it on their behalf, and where the gateway
   * meters (METERED_BY) no editor may.
   */
  readonly meters?: true
  /** Of the path. */
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly response: Response
  /** An `Idempotency-Key` is honoured: the same key and body of one user get the same answer for a day. */
  readonly idempotent?: true
  /** The body may also be a form (`application/x-www-form-urlencoded`), as OAuth requires. */
  readonly form?: true
  /** Failures carry `error` and `error_description` as OAuth clients read them (RFC 6749, section 5.2). */
  readonly errors?: 'oauth'
  /** The answer is a file that the server streams, not JSON; `response` is then its text. */
  readonly file?: 'text/csv'
  /** With `format=csv` the answer is such a file, otherwise JSON. */
  readonly or_file?: 'text/csv'
  /** Responses other than 200 and the usual errors that a caller should know about. */
  readonly also?: Readonly<
    Record<number, { readonly description: string; readonly schema?: z.core.$ZodType }>
  >
}

/**
 * The one contract of a call: mounted by the server, called by the web app and by tests, published as
 * OpenAPI. The function only preserves the literal types.
 */
export function endpoint<
  const Definition extends Endpoint<Query, Body, Response, Params>,
  Query extends z.core.$ZodType,
  Body extends z.core.$ZodType,
  Response extends z.core.$ZodType,
  Params extends z.core.$ZodType,
>(definition: Definition): Definition {
  return definition
}

/** The path with its parameters filled in. */
export function addressOf({ path }: { readonly path: string }, params: unknown = {}): string {
  const values = new Map(Object.entries(params as object))
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values.get(name))))
}

export type ParamsOf<E extends Endpoint> = E['params'] extends z.core.$ZodType
  ? z.infer<E['params']>
  : undefined
export type QueryOf<E extends Endpoint> = E['query'] extends z.core.$ZodType ? z.infer<E['query']> : undefined
export type BodyOf<E extends Endpoint> = E['body'] extends z.core.$ZodType ? z.infer<E['body']> : undefined
export type BodyInputOf<E extends Endpoint> = E['body'] extends z.core.$ZodType
  ? z.input<E['body']>
  : undefined
export type ResponseOf<E extends Endpoint> = z.infer<E['response']>
