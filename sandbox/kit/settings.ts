import { z } from 'zod'

type Shape = Record<string, z.ZodType>
type Values<Settings extends Shape> = { [Name in keyof Settings]: z.output<Settings[Name]> }

/**
 * The settings of a service and the variables that they come from: `webhookUrl` of `stripe` is
 * `SANDBOX_STRIPE_WEBHOOK_URL`, and an empty variable counts as not set, except where a setting takes it as none.
 * Throws an error whose message names every variable that is wrong.
 */
export function settingsReader<Settings extends Shape>(service: string, settings: Settings) {
  const variables = Object.keys(settings).map((name) => [name, variableOf(service, name)] as const)
  const schema = z.object(
    Object.fromEntries(variables.map(([name, variable]) => [variable, settings[name] as z.ZodType])),
  )
  return (environment: Record<string, string | undefined>): Values<Settings> => {
    const parsed = schema.safeParse(environment)
    if (!parsed.success) {
      const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
      throw new Error(`sandbox/${service} cannot start, these variables are wrong:\n${lines.join('\n')}`)
    }
    const found = variables.map(([name, variable]) => [name, parsed.data[variable]])
    return Object.fromEntries(found) as Values<Settings>
  }
}

function variableOf(service: string, name: string): string {
  return `SANDBOX_${service}_${name.replaceAll(/[A-Z]/g, '_$&')}`.toUpperCase()
}

export function unlessEmpty<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema)
}

export const textSetting = (byDefault: string) => unlessEmpty(z.string().default(byDefault))

const httpUrl = z.url({ protocol: /^https?$/ })

/** An address without a slash at the end. */
export const urlSetting = (byDefault: string) =>
  unlessEmpty(httpUrl.default(byDefault).transform((url) => url.replace(/\/$/, '')))

/** The same, or empty for none. */
export const urlOrNone = (byDefault: string) =>
  z
    .union([z.literal(''), httpUrl])
    .default(byDefault)
    .transform((url) => url.replace(/\/$/, '') || null)

export const portSetting = (byDefault: number) =>
  unlessEmpty(z.coerce.number().int().min(0).max(65_535).default(byDefault))
