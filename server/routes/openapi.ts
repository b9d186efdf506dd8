import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { z } from 'zod'
import type { Endpoint } from '../../schema/api/endpoint.ts'
import { apiErrorSchema, oauthErrorSchema } from '../../schema/api/error.ts'
import type { Brand } from '../../schema/catalogue/brand.ts'
import type { AppMiddleware } from '../context.ts'
import { matchesEtag } from '../etag.ts'
import { authenticateSupport, requireSupportStaff } from '../middleware/authenticate.ts'
import { everybody, supportStaff } from '../rights.ts'
import { plainRoute, type Route } from '../route.ts'

/**
 * The contract, generated from the routes that are mounted. Calls of support do not exist for other callers,
 * so support's own document alone has them.
 */
export function openapiRoutes(routes: readonly Route[]): Route[] {
  const endpoints = routes.flatMap(({ endpoint }) => endpoint ?? [])
  const ofEverybody = endpoints.filter(({ auth }) => auth !== 'support')
  return [
    plainRoute({
      method: 'GET',
      path: '/api/openapi.json',
      limit: 'page',
      rights: everybody,
      serve: ({ settings }) => answering(openapiDocument(ofEverybody, settings.brand)),
    }),
    plainRoute({
      method: 'GET',
      path: '/api/support/openapi.json',
      limit: 'page',
      rights: supportStaff,
      serve(deps) {
        const [authenticated, asStaff] = [authenticateSupport(deps), requireSupportStaff(deps)]
        const answer = answering(openapiDocument(endpoints, deps.settings.brand))
        return (ctx, next) => authenticated(ctx, () => asStaff(ctx, async () => answer(ctx, next)))
      },
    }),
  ]
}

/** Written and compressed once: it is long, and the same for every caller. */
function answering(document: object): AppMiddleware {
  const text = JSON.stringify(document)
  const compressed = gzipSync(text)
  const etag = `W/"${createHash('sha256').update(text).digest('base64url')}"`
  return (ctx) => {
    ctx.set({ etag, 'cache-control': 'private, no-cache' })
    ctx.vary('accept-encoding')
    ctx.compress = false
    if (matchesEtag(ctx.get('if-none-match'), etag)) {
      ctx.status = 304
      return
    }
    const isCompressed = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
    if (isCompressed) ctx.set('content-encoding', 'gzip')
    ctx.type = 'json'
    ctx.body = isCompressed ? compressed : text
  }
}

const errorResponse = {
  description: 'The error, as a sentence for people and a code for programs',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}

const oauthErrorResponse = {
  description: 'The error in OAuth’s form (RFC 6749, section 5.2)',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } } },
}

/** OpenAPI 3.1. */
function openapiDocument(endpoints: readonly Endpoint[], brand: Brand) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operationOf(endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: { title: `${brand.name} API`, version: '1', contact: { email: brand.support_email } },
    paths,
    components: {
      schemas: {
        Error: jsonSchema(apiErrorSchema, 'output'),
        OAuthError: jsonSchema(oauthErrorSchema, 'output'),
      },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'Session token of the sign-in provider',
        },
        extension: {
          type: 'http',
          scheme: 'bearer',
          description: 'Long-lived token of an editor extension, from /api/auth/token or the dashboard',
        },
        operator: {
          type: 'http',
          scheme: 'bearer',
          description: 'Key of a service of the operator, such as a model gateway',
        },
      },
    },
  }
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'The same key and body get the same answer for a day. With another body it is a 422, while the first is being processed a 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

function operationOf(endpoint: Endpoint) {
  return {
    summary: endpoint.summary,
    security: [...(endpoint.meters ? [{ operator: [] }] : []), ...securityOf[endpoint.auth]],
    ...((endpoint.params || endpoint.query || endpoint.idempotent) && {
      parameters: [
        ...(endpoint.params ? parametersIn('path', endpoint.params) : []),
        ...(endpoint.query ? parametersIn('query', endpoint.query) : []),
        ...(endpoint.idempotent ? [idempotencyKey] : []),
      ],
    }),
    ...(endpoint.body && {
      requestBody: {
        required: true,
        content: bodyContent(endpoint.body, endpoint),
      },
    }),
    responses: {
      200: {
        description: 'Done',
        content: {
          [endpoint.file ?? 'application/json']: { schema: jsonSchema(endpoint.response, 'output') },
          ...(endpoint.or_file && { [endpoint.or_file]: { schema: { type: 'string' } } }),
        },
      },
      ...Object.fromEntries(
        Object.entries(endpoint.also ?? {}).map(([status, also]) => [status, alsoOf(Number(status), also)]),
      ),
      default: endpoint.errors === 'oauth' ? oauthErrorResponse : errorResponse,
    },
  }
}

const securityOf = {
  public: [],
  user: [{ bearer: [] }],
  extension: [{ extension: [] }],
  support: [{ bearer: [] }],
} as const

function bodyContent(body: z.core.$ZodType, { form }: Endpoint) {
  const content = { schema: jsonSchema(body, 'input') }
  return {
    ...(form && { 'application/x-www-form-urlencoded': content }),
    'application/json': content,
  }
}

function alsoOf(status: number, { description, schema }: NonNullable<Endpoint['also']>[number]) {
  if (!schema) return status < 400 ? { description } : { ...errorResponse, description }
  return { description, content: { 'application/json': { schema: jsonSchema(schema, 'output') } } }
}

function parametersIn(place: 'path' | 'query', given: z.core.$ZodType) {
  const { properties = {}, required = [] } = z.toJSONSchema(given, { io: 'input' })
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema,
  }))
}

function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output') {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { io })
  return rest
}
