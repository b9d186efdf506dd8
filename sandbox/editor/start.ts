import { listen, type Sandbox } from '../kit/serve.ts'
import { createApp } from './app.ts'
import type { Settings } from './settings.ts'

/** It keeps nothing: a restart signs the editor out, as a token in memory would be lost. */
export async function startSampleEditor(settings: Settings): Promise<Sandbox> {
  const { server, port, url, close } = await listen(settings)
  server.on('request', createApp({ url, appUrl: settings.appUrl }).callback())
  return { port, url, close }
}
