import { runSandbox } from '../kit/serve.ts'
import { readSettings, startSampleEditor } from './start.ts'

await runSandbox('editor', { readSettings, start: startSampleEditor })
