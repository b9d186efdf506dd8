import { z } from 'zod'
import { listen, type Sandbox } from '../kit/serve.ts'
import { portVariable, readVariables } from '../kit/settings.ts'
import { createApp } from './app.ts'

export type Settings = {
  host: string
  port: number
  /** The product's address, without a slash at the end. */
  appUrl: string
}

const variables = {
  SANDBOX_EDITOR_HOST: z.string().min(1).default('127.0.0.1'),
  SANDBOX_EDITOR_PORT: portVariable(4244),
  SANDBOX_EDITOR_APP_URL: z.url({ protocol: /^https?$/ }).default('http://localhost:3000'),
}

export function readSettings(environment: Record<string, string | undefined>): Settings {
  const found = readVariables('editor', variables, environment)
  return {
    host: found.SANDBOX_EDITOR_HOST,
    port: found.SANDBOX_EDITOR_PORT,
    appUrl: found.SANDBOX_EDITOR_APP_URL.replace(/\/$/, ''),
  }
}

/** It keeps nothing: a restart signs the editor out, as a token in memory would be lost. */
export async function startSampleEditor(settings: Settings): Promise<Sandbox> {
  const { server, port, url, close } = await listen(settings)
  server.on('request', createApp({ url, appUrl: settings.appUrl }).callback())
  return { port, url, close }
}
