import { createPrivateKey, type KeyObject, randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { findMembership } from '../entities/membership.ts'
import { shortRole } from '../entities/role.ts'
import { sessionTasks } from '../entities/session.ts'
import { signingKey } from '../entities/signing-key.ts'
import type { Service } from '../service.ts'
import type { Session, SigningKey } from '../state.ts'

const LIFETIME_S = 60

export type SessionTokenOptions = {
  /** The origin the token is for. */
  azp: string
  /** `null` is the personal account; left out, the session's active organization. */
  organizationId?: string | null
  /** Negative for a token that has expired already. */
  expiresInS?: number
}

/** A session token of format version 2: the organization's claims are under `o`. */
export function mintSessionToken(
  service: Service,
  session: Session,
  { azp, organizationId = session.last_active_organization_id, expiresInS = LIFETIME_S }: SessionTokenOptions,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  // Issued a minute before it expired; otherwise the checks of `iat` and `nbf` fail first.
  const issuedAt = expiresInS > 0 ? now : now + expiresInS - LIFETIME_S
  const organization = organizationClaim(service, session.user_id, organizationId)
  const last_active_organization_id = organization?.id ?? null
  return new SignJWT({
    azp,
    fva: [Math.floor((Date.now() - session.created_at) / 60_000), -1],
    sid: session.id,
    sts: sessionTasks(service, { ...session, last_active_organization_id }).length > 0 ? 'pending' : 'active',
    v: 2,
    ...(organization ? { o: organization } : {}),
  })
    .setProtectedHeader({
      alg: 'RS256',
      cat: 'cl_B7d4PD111AAA',
      kid: signingKey(service).kid,
      typ: 'JWT',
    })
    .setIssuer(`${service.settings.origin}/__clerk`)
    .setSubject(session.user_id)
    .setJti(randomBytes(10).toString('hex'))
    .setIssuedAt(issuedAt)
    .setNotBefore(issuedAt - 10)
    .setExpirationTime(now + expiresInS)
    .sign(privateKey(signingKey(service)))
}

function organizationClaim(service: Service, userId: string, organizationId: string | null) {
  const organization = service.store.organizations.get(organizationId)
  const membership = organization && findMembership(service, { organizationId: organization.id, userId })
  if (!organization || !membership) return null
  return { id: organization.id, rol: shortRole(membership.role), slg: organization.slug }
}

const imported = new WeakMap<SigningKey, KeyObject>()

function privateKey(key: SigningKey): KeyObject {
  let found = imported.get(key)
  if (!found) {
    found = createPrivateKey(key.private_key_pem)
    imported.set(key, found)
  }
  return found
}
