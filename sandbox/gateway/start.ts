import { listen, type Sandbox } from '../kit/serve.ts'
import { portSetting, settingsReader, textSetting, urlSetting } from '../kit/settings.ts'
import { createApp } from './app.ts'

export const readSettings = settingsReader('gateway', {
  host: textSetting('127.0.0.1'),
  port: portSetting(4245),
  /** The product's address. */
  appUrl: urlSetting('http://localhost:3000'),
  operatorKey: textSetting(''),
})

/** It keeps nothing: a hold of a request that it was serving expires. */
export async function startSampleGateway(settings: ReturnType<typeof readSettings>): Promise<Sandbox> {
  const { server, port, url, close } = await listen(settings)
  server.on('request', createApp(settings).callback())
  return { port, url, close }
}
