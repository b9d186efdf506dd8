import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { createId } from './id.ts'

/** `kid` is new with every key: verifiers cache by it and would go on checking against an old key. */
export type SigningKey = { kid: string; private_key_pem: string }

export function createSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    kid: createId('ins'),
    private_key_pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

export function publicKeySet(key: SigningKey): { keys: JsonWebKey[] } {
  const jwk = createPublicKey(createPrivateKey(key.private_key_pem)).export({ format: 'jwk' })
  return { keys: [{ use: 'sig', kid: key.kid, alg: 'RS256', ...jwk }] }
}

export function publicKeyPem(key: SigningKey): string {
  return createPublicKey(createPrivateKey(key.private_key_pem))
    .export({ type: 'spki', format: 'pem' })
    .toString()
}
