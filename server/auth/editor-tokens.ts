import type { Database } from '../../schema/database/connect.ts'
import {
  findOperatorKey,
  type OperatorKey,
  recordOperatorKeyUse,
} from '../../schema/extension/operator-keys.ts'
import { hashSecret } from '../../schema/extension/secrets.ts'
import {
  findToken,
  isUseToBeRecorded,
  recordTokenUse,
  type StoredToken,
} from '../../schema/extension/tokens.ts'

/** Verified tokens of editors, or keys of the operator, cached for seconds (decision 030). */
interface Verified<Token> {
  /** The row of a presented token, possibly from the cache; unknown tokens are always looked up. */
  find(access_token: string): Promise<Token | undefined>
  recordUse(token: Token, now: Date): Promise<void>
  /** Empties this server's cache, after tokens may have been revoked and that is committed. */
  forgetAll(): void
}

type Known<Token> = Omit<Token, 'last_used_at'> & { last_used_at: Date | null }
export type KnownToken = Known<StoredToken>
export type EditorTokens = Verified<KnownToken>
export type VerifiedOperatorKeys = Verified<Known<OperatorKey>>

/** How long this server accepts a token that was revoked by another process. */
const trustedForMs = 5000
/** Some 20 MB of them. */
const tokensMax = 50_000

export const createEditorTokens = (db: Database, nowMs?: () => number): EditorTokens =>
  createVerified<StoredToken>(db, { find: findToken, record: recordTokenUse, ...(nowMs && { nowMs }) })

export const createOperatorKeys = (db: Database): VerifiedOperatorKeys =>
  createVerified<OperatorKey>(db, { find: findOperatorKey, record: recordOperatorKeyUse })

function createVerified<Token extends Pick<StoredToken, 'revoked_at' | 'last_used_at'>>(
  db: Database,
  {
    find,
    record,
    nowMs = () => performance.now(),
  }: {
    readonly find: (db: Database, access_token: string) => Promise<Token | undefined>
    readonly record: (db: Database, token: Known<Token>, now: Date) => Promise<void>
    readonly nowMs?: () => number
  },
): Verified<Known<Token>> {
  const known = new Map<string, { readonly token: Known<Token>; readonly until_ms: number }>()
  let revocations = 0
  return {
    async find(access_token) {
      const key = hashSecret(access_token).toString('base64')
      const remembered = known.get(key)
      if (remembered && remembered.until_ms > nowMs()) return remembered.token
      known.delete(key)
      const revocationsBefore = revocations
      const token = await find(db, access_token)
      // A read that overlaps with a revocation may be outdated.
      if (token?.revoked_at === null && revocationsBefore === revocations) {
        for (const oldest of known.keys()) {
          if (known.size < tokensMax) break
          known.delete(oldest)
        }
        known.set(key, { token, until_ms: nowMs() + trustedForMs })
      }
      return token
    },
    async recordUse(token, now) {
      if (!isUseToBeRecorded(token, now)) return
      // Set first, so that concurrent calls do not record it too.
      token.last_used_at = now
      await record(db, token, now)
    },
    forgetAll() {
      revocations += 1
      known.clear()
    },
  }
}
