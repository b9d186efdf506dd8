import { errors, jwtVerify, SignJWT } from 'jose'

/** What an editor began: nothing of it is stored until its user agrees (decision 030). */
export interface SignInRequest {
  readonly state: string
  readonly redirect_uri: string
  readonly code_challenge: string
}

/** How long a sign-in may take, from its start to the exchange of its code. */
export const signInLifetimeMs = 10 * 60_000

const algorithm = 'HS256'
/** Distinguishes it from any other token that the same secret might sign one day. */
const audience = 'editor-sign-in'

/** The first secret signs; the others were replaced, and are still accepted. */
type Secrets = readonly [string, ...string[]]

const keyOf = (secret: string) => new TextEncoder().encode(secret)

/** Signs what an editor began, until when it has to be finished. */
export function signRequest(request: SignInRequest, secrets: Secrets, now: Date): Promise<string> {
  const [secret] = secrets
  return new SignJWT({ ...request })
    .setProtectedHeader({ alg: algorithm })
    .setAudience(audience)
    .setExpirationTime(new Date(now.getTime() + signInLifetimeMs))
    .sign(keyOf(secret))
}

/**
 * What was signed, and until when it counts; whether that is over is for the caller to decide. `null`: none
 * of our secrets signed it.
 */
export async function readRequest(
  signed: string,
  secrets: Secrets,
): Promise<(SignInRequest & { readonly expires_at: Date }) | null> {
  for (const secret of secrets) {
    try {
      const { payload } = await jwtVerify<SignInRequest>(signed, keyOf(secret), {
        algorithms: [algorithm],
        audience,
        requiredClaims: ['exp'],
        currentDate: new Date(0),
      })
      const { state, redirect_uri, code_challenge, exp = 0 } = payload
      return { state, redirect_uri, code_challenge, expires_at: new Date(exp * 1000) }
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error
    }
  }
  return null
}
