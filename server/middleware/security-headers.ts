import helmet from 'koa-helmet'
import type { AppMiddleware } from '../context.ts'
import type { Settings } from '../settings.ts'

/**
 * Pages have a strict policy that still allows Clerk's components and Stripe's pages. With the sandbox
 * everything of Clerk's comes from our own origin, so no other origin is listed. Answers of the API are no
 * documents and allow nothing; what only documents read is left out.
 */
export function securityHeaders(settings: Settings): AppMiddleware {
  const isHttps = settings.app_url.startsWith('https:')
  const strictTransportSecurity = isHttps && { maxAge: 365 * 24 * 3600, includeSubDomains: true }
  const ofPages = headersOf(helmet({ ...pages(settings, isHttps), strictTransportSecurity }))
  ofPages.push(['permissions-policy', permissionsPolicy])
  const ofAnswers = headersOf(helmet({ ...answers, strictTransportSecurity }))
  return (ctx, next) => {
    const headers = isNoDocument.test(ctx.path) ? ofAnswers : ofPages
    for (const [name, value] of headers) ctx.res.setHeader(name, value)
    return next()
  }
}

/** A page loads some twenty files, and a kilobyte of headers with each is a seventh of a second on a slow phone. */
const isNoDocument = /^\/api\/|^\/assets\/[\w.-]+\.(?:js|css|woff2)$/

/** As OWASP's REST Security Cheat Sheet lists them. */
const answers = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  xFrameOptions: { action: 'deny' },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  referrerPolicy: { policy: 'no-referrer' },
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} as const

function pages(settings: Settings, isHttps: boolean) {
  const clerk = settings.clerk_proxy_target ? [] : [clerkOrigin(settings.clerk_publishable_key)]
  const challenge = settings.clerk_proxy_target
    ? []
    : ['https://challenges.cloudflare.com', 'https://*.protect.clerk.com']
  // These hosts use other ports than 443, and a source without a port means 443 only.
  const protect = settings.clerk_proxy_target ? [] : ['https://*.protect.clerk.com:*']
  const telemetry = settings.clerk_proxy_target ? [] : ['https://clerk-telemetry.com']
  const payments = settings.stripe_api_base
    ? [new URL(settings.stripe_api_base).origin]
    : ['https://checkout.stripe.com', 'https://billing.stripe.com']
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...clerk, ...challenge],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'https://img.clerk.com'],
        fontSrc: ["'self'", 'data:'],
        connectSrc: ["'self'", ...clerk, ...protect, ...telemetry],
        workerSrc: ["'self'", 'blob:'],
        frameSrc: ["'self'", ...challenge],
        formAction: ["'self'", ...payments],
        frameAncestors: ["'none'"],
        baseUri: ["'self'"],
        objectSrc: ["'none'"],
        // On plain http this would send the browser to an https address that does not exist.
        ...(isHttps && { upgradeInsecureRequests: [] }),
      },
    },
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
  } as const
}

/** What Helmet sets is the same for every answer, so it is asked once. */
function headersOf(setHelmet: ReturnType<typeof helmet>): [name: string, value: string][] {
  const headers = new Map<string, string>()
  const res = {
    setHeader: (name: string, value: string) => headers.set(name.toLowerCase(), value),
    removeHeader: () => undefined,
  }
  void setHelmet({ req: {}, res } as unknown as Parameters<typeof setHelmet>[0], async () => undefined)
  if (!headers.has('content-security-policy')) throw new Error('Helmet set no policy')
  return [...headers]
}

/** No page needs most of these features. Passkeys, copying and the demo video are for our own origin. */
const permissionsPolicy = [
  ...[
    'accelerometer',
    'browsing-topics',
    'camera',
    'display-capture',
    'encrypted-media',
    'geolocation',
    'gyroscope',
    'hid',
    'idle-detection',
    'local-fonts',
    'magnetometer',
    'microphone',
    'midi',
    'payment',
    'picture-in-picture',
    'screen-wake-lock',
    'serial',
    'usb',
    'xr-spatial-tracking',
  ].map((feature) => `${feature}=()`),
  ...[
    'autoplay',
    'clipboard-write',
    'fullscreen',
    'publickey-credentials-create',
    'publickey-credentials-get',
  ].map((feature) => `${feature}=(self)`),
].join(', ')

/** A publishable key is the base64 of the host of Clerk's frontend API and a dollar sign. */
function clerkOrigin(publishableKey: string): string {
  const [host = ''] = Buffer.from(publishableKey.split('_')[2] ?? '', 'base64')
    .toString()
    .split('$', 1)
  if (!/^[\w.-]+\.[\w-]+$/.test(host)) {
    throw new Error('CLERK_PUBLISHABLE_KEY is not one: it must hold the host name of a Clerk instance.')
  }
  return `https://${host}`
}
