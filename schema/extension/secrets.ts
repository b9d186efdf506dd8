import { hash, randomBytes } from 'node:crypto'

/** Marks our tokens, so that scanners for leaked secrets, and people, recognize them. */
export const tokenPrefix = 'tide_'
export const operatorKeyPrefix = 'tideop_'

/** A long-lived token, or an operator's key: the prefix and 256 random bits. */
export function createToken(prefix = tokenPrefix): string {
  return prefix + randomBytes(32).toString('base64url')
}

/** An authorization code: 256 random bits. */
export function createCode(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored hash of a token, code or state. Long random values need no slow hash. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
