import type { Database } from '../../schema/database/connect.ts'
import { hashSecret } from '../../schema/extension/secrets.ts'
import {
  findToken,
  isUseToBeRecorded,
  recordTokenUse,
  type StoredToken,
} from '../../schema/extension/tokens.ts'

/** Verified tokens of editors, remembered for seconds: an editor makes many calls in a row (decision 125). */
export interface EditorTokens {
  /** The row of a presented token, as it was a moment ago; undefined for one that we never issued, which is always asked for. */
  find(db: Database, access_token: string): Promise<KnownToken | undefined>
  recordUse(db: Database, token: KnownToken, now: Date): Promise<void>
  /** To be called when tokens may have been revoked, once that is committed: this server asks for each of them again. */
  forgetAll(): void
}

export type KnownToken = Omit<StoredToken, 'last_used_at'> & { last_used_at: Date | null }

/** For so long a token that was revoked elsewhere, by the worker or another server, goes on working here. */
const trustedForMs = 5000
/** Some 20 MB of them. */
const tokensMax = 50_000

export function createEditorTokens(nowMs: () => number = () => performance.now()): EditorTokens {
  const known = new Map<string, { readonly token: KnownToken; readonly until_ms: number }>()
  let revocations = 0
  return {
    async find(db, access_token) {
      const key = hashSecret(access_token).toString('base64')
      const remembered = known.get(key)
      if (remembered && remembered.until_ms > nowMs()) return remembered.token
      known.delete(key)
      const revocationsBefore = revocations
      const token = await findToken(db, access_token)
      // What was read while a revocation was being committed may be from before it.
      if (token?.revoked_at === null && revocationsBefore === revocations) {
        for (const oldest of known.keys()) {
          if (known.size < tokensMax) break
          known.delete(oldest)
        }
        known.set(key, { token, until_ms: nowMs() + trustedForMs })
      }
      return token
    },
    async recordUse(db, token, now) {
      if (!isUseToBeRecorded(token, now)) return
      // First, so that the calls that come meanwhile do not record it too.
      token.last_used_at = now
      await recordTokenUse(db, token, now)
    },
    forgetAll() {
      revocations += 1
      known.clear()
    },
  }
}
