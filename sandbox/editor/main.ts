import { runSandbox } from '../kit/serve.ts'
import { readSettings } from './settings.ts'
import { startSampleEditor } from './start.ts'

await runSandbox('editor', { readSettings, start: startSampleEditor })
