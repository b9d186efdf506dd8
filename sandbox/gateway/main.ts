import { runSandbox } from '../kit/serve.ts'
import { readSettings, startSampleGateway } from './start.ts'

await runSandbox('gateway', { readSettings, start: startSampleGateway })
