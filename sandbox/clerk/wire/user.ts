import type { EmailAddressJSON, UserJSON } from '@clerk/backend'
import { isLocked, lockoutSeconds, userLabel } from '../entities/user.ts'
import type { Service } from '../service.ts'
import type { EmailAddress, User, Verification } from '../state.ts'
import { frontendMembership, imageUrl } from './organization.ts'

export function backendUser(user: User): UserJSON {
  return {
    ...commonFields(user),
    email_addresses: user.email_addresses.map((row) => emailAddressFields(row)),
    organization_memberships: [],
    create_organizations_limit: null,
    enterprise_accounts: [],
    private_metadata: user.private_metadata,
    password_last_updated_at: user.password_last_updated_at,
    locale: user.locale,
  }
}

/** A user as their own browser sees them: with memberships, without private metadata. */
export function frontendUser(service: Service, user: User) {
  const memberships = service.store.memberships.filter((row) => row.user_id === user.id)
  return {
    ...commonFields(user),
    email_addresses: user.email_addresses.map((row) => ({
      ...emailAddressFields(row),
      matches_sso_connection: false,
    })),
    organization_memberships: memberships.map((row) => frontendMembership(service, row)),
    enterprise_accounts: [],
    profile_image_id: user.id,
  }
}

function commonFields(user: User) {
  return {
    object: 'user' as const,
    id: user.id,
    username: null,
    first_name: user.first_name,
    last_name: user.last_name,
    image_url: imageUrl(user.id, userLabel(user)),
    has_image: false,
    primary_email_address_id: user.primary_email_address_id,
    primary_phone_number_id: null,
    primary_web3_wallet_id: null,
    password_enabled: user.password_hash !== null,
    two_factor_enabled: false,
    totp_enabled: false,
    backup_code_enabled: false,
    phone_numbers: [],
    web3_wallets: [],
    external_accounts: [],
    passkeys: [],
    saml_accounts: [],
    mfa_enabled_at: null,
    mfa_disabled_at: null,
    banned: user.banned,
    locked: isLocked(user),
    lockout_expires_in_seconds: lockoutSeconds(user),
    verification_attempts_remaining: 100,
    last_active_at: user.last_active_at,
    public_metadata: user.public_metadata,
    unsafe_metadata: user.unsafe_metadata,
    external_id: user.external_id,
    last_sign_in_at: user.last_sign_in_at,
    create_organization_enabled: true,
    delete_self_enabled: true,
    legal_accepted_at: user.legal_accepted_at,
    created_at: user.created_at,
    updated_at: user.updated_at,
  }
}

export function emailAddressFields(row: EmailAddress): EmailAddressJSON {
  return {
    object: 'email_address',
    id: row.id,
    email_address: row.email_address,
    verification: row.verification ? verificationFields(row.verification) : null,
    linked_to: [],
    reserved: false,
    created_at: row.created_at ?? 0,
    updated_at: row.created_at ?? 0,
  } as EmailAddressJSON
}

export function verificationFields(verification: Verification) {
  return {
    object: verification.strategy.endsWith('email_code')
      ? 'verification_otp'
      : `verification_${verification.strategy}`,
    status: verification.status,
    strategy: verification.strategy,
    attempts: verification.attempts,
    expire_at: verification.expire_at,
  }
}
