import * as z from 'zod/mini'
import { type ActTarget, targetKinds } from '../../schema/api/support-acts.ts'
import type { Database } from '../../schema/database/connect.ts'
import { isOwnerId, kindOf } from '../../schema/ledger/accounts.ts'
import { findTarget } from '../../schema/support/targets.ts'
import type { Dependencies } from '../../server/dependencies.ts'
import { search } from '../../server/support/search.ts'
import type { WorkerDependencies } from '../../worker/dependencies.ts'

/** What server and worker are given; see `withWorkerDependencies`. */
export interface OpenProduct {
  readonly server: Dependencies
  readonly worker: WorkerDependencies
  /** The login that owns the tables: it alone can ask for an act without a session. */
  readonly owner: Database
}

export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const kindsByPrefix = [
  [/^(evt|msg)_/, 'event'],
  [/^sub_/, 'subscription'],
  [/^(ch|py)_/, 'charge'],
  [/^orginv_/, 'invitation'],
] as const

/** `event evt_…` is the same as `event:evt_…`. */
export function targetsNamed(args: readonly string[]): ActTarget[] {
  const [first, ...rest] = args
  const kind = targetKinds.find((name) => name === first)
  return kind && rest.length > 0 ? rest.map((id) => ({ kind, id })) : args.map(targetNamed)
}

/** The target named by `evt_…`, `intent:…` and the like. */
function targetNamed(text: string): ActTarget {
  const [, prefix, rest] = /^([a-z]+):(.+)$/.exec(text) ?? []
  const named = targetKinds.find((kind) => kind === prefix)
  if (named && rest) return { kind: named, id: rest }
  const found = kindsByPrefix.find(([form]) => form.test(text))
  // A bare UUID is a checkout's, or an invitation's.
  return { kind: found?.[1] ?? 'intent', id: text }
}

/** Whether a bare UUID is a checkout's or an invitation's. */
export async function knownTarget({ db }: OpenProduct['server'], target: ActTarget): Promise<ActTarget> {
  if (target.kind !== 'intent' || (await findTarget(db, { kind: 'intent', id: target.id }))) return target
  const invitation = await findTarget(db, { kind: 'invitation', id: target.id })
  return invitation ? { ...target, kind: 'invitation' } : target
}

export function ownerNamed(text: string): ActTarget {
  if (!isOwnerId(text))
    throw new UsageError(`An owner is user_… or org_…, not ${text}: npm run support -- search finds it`)
  return { kind: kindOf(text), id: text }
}

/** By the owner's id, or by any id that leads to one. */
export async function findOwnerId({ server }: OpenProduct, text: string): Promise<string> {
  if (isOwnerId(text)) return text
  const { matches } = await search(server, text)
  const owners = new Set(matches.flatMap(({ owner }) => owner?.id ?? []))
  const [owner, ...others] = owners
  if (!owner) throw new UsageError(`No customer matches ${text}`)
  if (others.length > 0) throw new UsageError(`Several are found by ${text}: ${[...owners].join(', ')}`)
  return owner
}

export function actNamed(text: string): string {
  if (!z.uuid().safeParse(text).success) throw new UsageError(`${text} is not the id of an act`)
  return text
}
