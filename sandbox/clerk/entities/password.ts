import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { fieldError } from '../errors.ts'

export const PASSWORD_LENGTH_MIN = 8
export const PASSWORD_LENGTH_MAX = 72
const KEY_LENGTH_BYTES = 32

/**
 * By the name before a hash. A stand-in guards nothing, and hashes with less work than the real one; what
 * earlier ones kept is still read.
 */
const costs = { quick: 2 ** 10, scrypt: 2 ** 14 } as const
type Cost = keyof typeof costs

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** `quick$salt$key`, both base64. Throws a field error on a password that is too short or too long. */
export async function hashPassword(password: string, paramName = 'password'): Promise<string> {
  if (password.length < PASSWORD_LENGTH_MIN) {
    throw fieldError(
      paramName,
      'form_password_length_too_short',
      `Passwords must be ${PASSWORD_LENGTH_MIN} characters or more.`,
    )
  }
  if (Buffer.byteLength(password) > PASSWORD_LENGTH_MAX) {
    throw fieldError(
      paramName,
      'form_password_length_too_long',
      `Passwords must be ${PASSWORD_LENGTH_MAX} characters or fewer.`,
    )
  }
  const salt = randomBytes(16)
  const key = await derive(password, salt, KEY_LENGTH_BYTES, { N: costs.quick })
  return ['quick', salt.toString('base64'), key.toString('base64')].join('$')
}

export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const [name, salt, key] = hash?.split('$') ?? []
  if (!name || !salt || !key) return false
  const expected = Buffer.from(key, 'base64')
  const options = { N: costs[name as Cost] }
  return timingSafeEqual(
    await derive(password, Buffer.from(salt, 'base64'), expected.length, options),
    expected,
  )
}
