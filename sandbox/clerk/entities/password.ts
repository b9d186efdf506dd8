import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { fieldError } from '../errors.ts'

export const PASSWORD_LENGTH_MIN = 8
export const PASSWORD_LENGTH_MAX = 72
const KEY_LENGTH_BYTES = 32

const derive = promisify<string, Buffer, number, Buffer>(scrypt)

/** `scrypt$salt$key`, both base64. Throws a field error on a password that is too short or too long. */
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
  const key = await derive(password, salt, KEY_LENGTH_BYTES)
  return ['scrypt', salt.toString('base64'), key.toString('base64')].join('$')
}

export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const [, salt, key] = hash?.split('$') ?? []
  if (!salt || !key) return false
  const expected = Buffer.from(key, 'base64')
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), expected.length), expected)
}
