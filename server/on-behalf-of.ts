import type { OnBehalfOf } from '../schema/api/spending.ts'
import { tokenPrefix } from '../schema/extension/secrets.ts'
import { isActive } from '../schema/extension/tokens.ts'
import { isDeleted } from '../schema/people/owners/deleted-owners.ts'
import { findUser } from '../schema/people/users/users.ts'
import type { RequestLog } from './context.ts'
import type { Dependencies } from './dependencies.ts'
import { invalidRequest, refusal, tooManyRequests } from './errors.ts'

interface Caller {
  /** Null for a service of the operator. */
  readonly user_id: string | null
  readonly editor_token_id: string | null
  readonly operator_key_id: string | null
}

/** Who spends: their rights, limits and payers count, also where a service makes the call. */
interface Spender extends Caller {
  readonly user_id: string
  /** As the call names it; left out where the token's payer pays. */
  readonly payer: string | undefined
}

/** The editor that calls itself, or the person on whose behalf a service of the operator does. */
export async function findSpender(
  deps: Pick<Dependencies, 'db' | 'editorTokens' | 'limits' | 'now'>,
  {
    body: { payer, on_behalf_of },
    user_id,
    editor_token_id,
    operator_key_id,
    requestLog,
  }: Caller & {
    readonly body: { readonly payer?: string | undefined; readonly on_behalf_of?: OnBehalfOf | undefined }
    readonly requestLog: RequestLog
  },
): Promise<Spender> {
  if (user_id !== null) {
    if (on_behalf_of) throw wrong('on_behalf_of is for operator keys')
    return { user_id, editor_token_id, operator_key_id, payer }
  }
  if (!on_behalf_of) throw wrong('on_behalf_of is required: it says whose usage this is')
  const person =
    'token' in on_behalf_of
      ? { ...(await findOfToken(deps, on_behalf_of.token)), payer }
      : { ...(await findPerson(deps, on_behalf_of.user_id)), payer: on_behalf_of.payer }
  if (person.payer !== payer && payer !== undefined) throw wrong('on_behalf_of names another payer')
  requestLog.note({ user_id: person.user_id })
  const wait_s = await deps.limits.consume('extension', `user:${person.user_id}`)
  if (wait_s !== null) throw tooManyRequests(wait_s)
  return { ...person, operator_key_id }
}

const wrong = (message: string) => invalidRequest(message, [{ path: 'on_behalf_of', message }])

async function findOfToken({ editorTokens, now }: Pick<Dependencies, 'editorTokens' | 'now'>, shown: string) {
  const token = shown.startsWith(tokenPrefix) ? await editorTokens.find(shown) : undefined
  if (!token || !isActive(token, now())) throw refusal('invalid_user_token')
  await editorTokens.recordUse(token, now())
  return { user_id: token.user_id, editor_token_id: token.id }
}

async function findPerson({ db }: Pick<Dependencies, 'db'>, user_id: string) {
  const user = await findUser(db, user_id)
  if (!user || user.is_banned || user.forgotten_at !== null || (await isDeleted(db, user_id)))
    throw refusal('user_not_found')
  return { user_id, editor_token_id: null }
}
