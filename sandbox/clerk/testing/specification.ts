import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'

type Schema = Record<string, unknown>
type Published = {
  /** By call, e.g. `GET /users/{user_id}`. */
  answers?: Record<string, Schema>
  /** By type, e.g. `user.created`. */
  events?: Record<string, Schema>
  components: { schemas: Record<string, Schema> }
}

/** Clerk's published schemas; the files in `openapi/` name their source and date. */
export type Specification = {
  /** Every call or type of event that it knows. */
  names: string[]
  /** How a body differs from what Clerk's would be, in sentences; none when it does not. */
  differences(name: string, body: unknown): string[]
}

export function readSpecification(file: 'backend' | 'frontend' | 'webhooks'): Specification {
  const published = JSON.parse(
    readFileSync(join(import.meta.dirname, `openapi/${file}.json`), 'utf8'),
  ) as Published
  const { answers = published.events ?? {}, components } = published
  // OpenAPI 3.0 has words of its own, which a strict validator would refuse.
  const ajv = new Ajv({ allErrors: true, strict: false, verbose: true })
  const schemas = { ...components.schemas }
  openComposed(answers, schemas)
  openComposed(components, schemas)
  ajv.addSchema(allowNull({ components: { schemas } }) as Schema, 'clerk')
  const validators = new Map<string, ValidateFunction>()
  for (const [name, schema] of Object.entries(answers)) {
    const withFile = JSON.parse(
      JSON.stringify(allowNull(schema)).replaceAll('"#/components', '"clerk#/components'),
    )
    validators.set(name, ajv.compile(withFile))
  }
  return {
    names: [...validators.keys()],
    differences(name, body) {
      const validate = validators.get(name)
      if (!validate) throw new Error(`Clerk has published nothing about ${name}`)
      if (validate(body)) return []
      const errors = validate.errors ?? []
      const found = errors
        .filter((error) => !isConsequence(error, errors))
        .map(
          ({ instancePath, message, params, data }) =>
            `${name} ${instancePath} ${message}: ${JSON.stringify(params)} ${JSON.stringify(data)?.slice(0, 60)}`,
        )
      return [...new Set(found)]
    },
  }
}

/** Clerk's `allOf` parts each forbid the other parts' fields. This lets them allow each other's. */
function openComposed(schema: unknown, schemas: Record<string, Schema>): void {
  if (typeof schema !== 'object' || schema === null) return
  const { allOf } = schema as { allOf?: { $ref?: string }[] }
  if (allOf && allOf.length > 1) {
    for (const part of allOf) {
      const name = part.$ref?.split('/').at(-1)
      if (name) schemas[name] = { ...schemas[name], additionalProperties: true }
    }
  }
  for (const inner of Object.values(schema)) openComposed(inner, schemas)
}

/** A failed whole adds nothing when one of its parts is reported. */
function isConsequence({ keyword, params, instancePath }: ErrorObject, all: readonly ErrorObject[]): boolean {
  const isGeneral = keyword === 'anyOf' || keyword === 'oneOf' || params.type === 'null'
  return isGeneral && all.some((other) => other.instancePath.startsWith(`${instancePath}/`))
}

/** OpenAPI 3.0 says `nullable: true` where JSON Schema has another type. */
function allowNull(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(allowNull)
  if (typeof schema !== 'object' || schema === null) return schema
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, allowNull(value)]),
  )
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : rest
}
