import { defaultBrand } from '../schema/catalogue/brand.ts'

/** The sandboxes' addresses and state folders, and the secrets that they share with the product. */
export type SandboxPlaces = {
  readonly appUrl: string
  readonly serverPort: number
  readonly stripePort: number
  readonly clerkPort: number
  readonly stripeStateFile: string
  readonly clerkStateFile: string
  /** Where a browser finds the hosted payment page; another address than localhost behind a tunnel. */
  readonly stripePublicUrl?: string
}

const stripeWebhookSecret = 'whsec_sandbox'
/** Svix secrets are base64 behind the prefix. */
const clerkWebhookSecret = `whsec_${Buffer.from('tidemark-clerk-sandbox-secret').toString('base64')}`
const secretKey = 'sk_test_sandbox'

/** The variables that make the product's processes use the Stripe sandbox instead of Stripe. */
export function stripeSandboxVariables(places: Pick<SandboxPlaces, 'stripePort'>) {
  return {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: stripeWebhookSecret,
    STRIPE_API_BASE: `http://localhost:${places.stripePort}`,
    // The sandbox has no quota that has to be kept.
    STRIPE_CALLS_PER_SECOND: '1000',
  }
}

/** The same for Clerk. A publishable key is the base64 of a host name, which must contain a dot. */
export function clerkSandboxVariables(places: Pick<SandboxPlaces, 'clerkPort'>) {
  const address = `http://localhost:${places.clerkPort}`
  return {
    CLERK_SECRET_KEY: secretKey,
    CLERK_PUBLISHABLE_KEY: `pk_live_${Buffer.from('clerk.local.test$').toString('base64')}`,
    CLERK_WEBHOOK_SECRET: clerkWebhookSecret,
    CLERK_API_URL: `${address}/bapi`,
    CLERK_PROXY_TARGET: address,
  }
}

export function stripeSandboxEnvironment(places: SandboxPlaces) {
  return {
    SANDBOX_STRIPE_PORT: String(places.stripePort),
    SANDBOX_STRIPE_STATE_FILE: places.stripeStateFile,
    SANDBOX_STRIPE_WEBHOOK_URL: `http://localhost:${places.serverPort}/api/stripe/webhook`,
    SANDBOX_STRIPE_WEBHOOK_SECRET: stripeWebhookSecret,
    SANDBOX_STRIPE_BUSINESS_NAME: defaultBrand.name,
    SANDBOX_STRIPE_PUBLIC_URL: places.stripePublicUrl ?? `http://localhost:${places.stripePort}`,
  }
}

export function clerkSandboxEnvironment(places: SandboxPlaces) {
  return {
    SANDBOX_CLERK_PORT: String(places.clerkPort),
    SANDBOX_CLERK_STATE_FILE: places.clerkStateFile,
    SANDBOX_CLERK_WEBHOOK_URL: `http://localhost:${places.serverPort}/api/clerk/webhook`,
    SANDBOX_CLERK_WEBHOOK_SECRET: clerkWebhookSecret,
    SANDBOX_CLERK_SECRET_KEY: secretKey,
    SANDBOX_CLERK_ORIGIN: places.appUrl,
    // Off by default in a new application of Clerk's, and so in the sandbox.
    SANDBOX_CLERK_ORGANIZATIONS: 'on',
    SANDBOX_CLERK_PERSONAL_ACCOUNTS: 'on',
  }
}

export function editorSandboxEnvironment({
  appUrl,
  editor,
  gateway,
}: Record<'editor' | 'gateway', number> & { appUrl: string }) {
  return {
    SANDBOX_EDITOR_PORT: String(editor),
    SANDBOX_EDITOR_APP_URL: appUrl,
    SANDBOX_EDITOR_GATEWAY_URL: `http://localhost:${gateway}`,
  }
}

export function gatewaySandboxEnvironment({
  appUrl,
  port,
  key,
}: {
  appUrl: string
  port: number
  key: string
}) {
  return {
    SANDBOX_GATEWAY_PORT: String(port),
    SANDBOX_GATEWAY_APP_URL: appUrl,
    SANDBOX_GATEWAY_OPERATOR_KEY: key,
  }
}
