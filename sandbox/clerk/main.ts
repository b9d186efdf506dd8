import { runSandbox } from '../kit/serve.ts'
import { readSettings } from './settings.ts'
import { startClerkSandbox } from './start.ts'

await runSandbox('clerk', { readSettings, start: startClerkSandbox })
