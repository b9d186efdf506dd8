import { join } from 'node:path'
import { examine } from './doctor/examine.ts'
import { renderFindings } from './doctor/finding.ts'
import { loadDotEnv } from './dot-env.ts'
import { repositoryRoot } from './launch/script.ts'

/** `npm run doctor`: reports problems of a configured environment. Exit code 1 when there are any. */
loadDotEnv()
const findings = await examine({ raw: process.env, dataDir: join(repositoryRoot, '.data') })
console.log(renderFindings(findings))
process.exitCode = findings.some(({ level }) => level === 'problem') ? 1 : 0
