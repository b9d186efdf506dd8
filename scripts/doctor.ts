import { examine } from './doctor/examine.ts'
import { renderFindings } from './doctor/finding.ts'
import { loadDotEnv } from './dot-env.ts'
import { launcherData } from './launch/stand-ins.ts'

/** `npm run doctor`: reports problems of a configured environment. Exit code 1 when there are any. */
loadDotEnv()
const findings = await examine({ raw: process.env, dataDir: launcherData })
console.log(renderFindings(findings))
process.exitCode = findings.some(({ level }) => level === 'problem') ? 1 : 0
