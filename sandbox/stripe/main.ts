import { runSandbox } from '../kit/serve.ts'
import { readSettings } from './settings.ts'
import { startStripeSandbox } from './start.ts'

await runSandbox('stripe', { readSettings, start: startStripeSandbox })
