import { listen, type Sandbox } from '../kit/serve.ts'
import { portSetting, settingsReader, textSetting, urlSetting } from '../kit/settings.ts'
import { createApp } from './app.ts'

export const readSettings = settingsReader('editor', {
  host: textSetting('127.0.0.1'),
  port: portSetting(4244),
  /** The product's address. */
  appUrl: urlSetting('http://localhost:3000'),
  /** Where it sends its requests. */
  gatewayUrl: urlSetting('http://localhost:4245'),
})

/** It keeps nothing: a restart signs the editor out, as a token in memory would be lost. */
export async function startSampleEditor(settings: ReturnType<typeof readSettings>): Promise<Sandbox> {
  const { server, port, url, close } = await listen(settings)
  server.on('request', createApp({ ...settings, url }).callback())
  return { port, url, close }
}
