import { repositoryRoot } from './launch/script.ts'
import { runStaticChecks, staticChecks } from './test/static-checks.ts'

process.chdir(repositoryRoot)

/** `npm run check`: what `npm test` checks first, and known vulnerabilities, which it does not look up. */
const audit = { name: 'known vulnerabilities', args: ['scripts/audit.ts'] }
const { failed } = await runStaticChecks({ env: process.env }, [audit, ...staticChecks])
process.exitCode = failed > 0 ? 1 : 0
