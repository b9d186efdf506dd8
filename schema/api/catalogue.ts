import * as z from 'zod/mini'
import { brandSchema } from '../catalogue/brand.ts'
import { currencySchema, planTypeSchema } from '../catalogue/schemas.ts'
import { endpoint } from './endpoint.ts'

export const listPlans = endpoint({
  method: 'GET',
  path: '/api/plans',
  summary: 'Plans, prices and the credit rate that the server charges',
  auth: 'public',
  limit: 'read',
  response: z.object({
    currencies: z.array(currencySchema),
    plans: z.array(
      z.object({
        plan_type: planTypeSchema,
        name: z.string(),
        description: z.string(),
        credits_per_seat: z.int(),
        per_seat: z.boolean(),
        price_minor: z.nullable(z.object({ monthly: z.int(), yearly: z.int() })),
        /** Free days before a user's first payment, if they never had a subscription; 0 without a trial. */
        trial_days: z.int(),
        features: z.array(z.string()),
      }),
    ),
    credits: z.object({
      rate: z.object({ credits: z.int(), amount_minor: z.int() }),
      minimum: z.int(),
      maximum: z.int(),
      packs: z.array(z.object({ credits: z.int(), amount_minor: z.int(), popular: z.boolean() })),
    }),
  }),
})

/** The web app's configuration; fetched, because one build serves every environment. */
export const getWebConfig = endpoint({
  method: 'GET',
  path: '/api/config',
  summary: 'Settings of the web app: brand and the sign-in provider’s public key',
  auth: 'public',
  limit: 'read',
  response: z.object({
    brand: brandSchema,
    clerk: z.object({
      publishable_key: z.string(),
      /** Set when the sign-in provider is reached through our own origin, e.g. `/__clerk`. */
      proxy_url: z.nullable(z.string()),
    }),
    /** True when payments and sign-in are simulated, so that the screen can say so. */
    sandbox: z.boolean(),
    /** The sandbox's sample editor, which stands in for the extension. */
    sample_editor_url: z.nullable(z.url()),
    /** Names of the editors that may be signed in through the browser, by the scheme or host of their links. */
    editors: z.record(z.string(), z.string()),
    maximum_seats: z.int(),
  }),
})
export type WebConfig = z.infer<typeof getWebConfig.response>

/** Written into each document by the server, so that the browser's first rendering is the same. */
export interface PageState {
  readonly config: WebConfig
  /** Judged by a cookie, so it decides only which links are shown. */
  readonly signed_in: boolean
}

/** The web app's renderer: a marketing page as a document, or nothing for any other path. */
export type RenderPage = (input: {
  path: string
  state: PageState
  template: string
}) => Promise<string | undefined>

/** What the head of any other document begins to load of Clerk's. */
export type SignInScripts = (page: { path: string; state: PageState }) => string
