import { userInfo } from 'node:os'
import { parseArgs } from 'node:util'
import { loadDotEnv } from './dot-env.ts'
import { explainError } from './explain-error.ts'
import { restoreErasures } from './restore/restore-erasures.ts'
import { withWorkerDependencies } from './worker-dependencies.ts'

/** `npm run restore:erasures -- user_1 user_2`: see docs/operations.md. */
loadDotEnv()
try {
  const { positionals: user_ids } = parseArgs({ allowPositionals: true })
  const wrong = user_ids.find((id) => !/^user_\w+$/.test(id))
  if (wrong || user_ids.length === 0) throw new Error(`Say who was erased, by Clerk's ids: user_1 user_2`)
  const actor = `cli:${userInfo().username}`
  const { erased, known, left } = await withWorkerDependencies(process.env, (deps) =>
    restoreErasures(deps, { user_ids, actor }),
  )
  for (const id of erased) console.log(`erased  ${id}`)
  for (const { user_id, why } of left) console.log(`LEFT    ${user_id}: ${why}`)
  console.log(`${erased.length} erased again, ${known} forgotten already, ${left.length} left for a person`)
  process.exitCode = left.length === 0 ? 0 : 1
} catch (error) {
  console.error(explainError(error))
  process.exitCode = 1
}
