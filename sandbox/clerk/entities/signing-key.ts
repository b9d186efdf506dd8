import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { Service } from '../service.ts'
import { createId, type SigningKey } from '../state.ts'

/** Made once in a process, for that takes longer than all else in the start of a sandbox. */
let made: string | undefined

/** `kid` is new with every sandbox: verifiers cache by it and would otherwise check against an old key. */
export function createSigningKey(): SigningKey {
  made ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
  return { id: 'signing_key', kid: createId('ins'), private_key_pem: made }
}

/** Created at the first start. */
export function signingKey({ store }: Pick<Service, 'store'>): SigningKey {
  const key = store.signing_keys.get('signing_key')
  if (!key) throw new Error('The sandbox has no signing key.')
  return key
}

export function publicKeySet(key: SigningKey): { keys: object[] } {
  const jwk = createPublicKey(createPrivateKey(key.private_key_pem)).export({ format: 'jwk' })
  return { keys: [{ use: 'sig', kid: key.kid, alg: 'RS256', ...jwk }] }
}
