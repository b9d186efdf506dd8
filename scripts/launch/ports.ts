import { findFreePort, isPortFree } from '../processes/ports.ts'

export type ProductPorts = {
  /** Where people open the product; the server's own but when Vite stands before it. */
  readonly public: number
  readonly server: number
  /** The metrics port of the server and of the worker, for operators. */
  readonly server_metrics: number
  readonly worker_metrics: number
  readonly stripe: number
  readonly clerk: number
  /** Of the sample editor. */
  readonly editor: number
  /** Of the sample gateway. */
  readonly gateway: number
}

export class PortTakenError extends Error {
  readonly variable: string
  constructor(variable: string, port: number) {
    super(
      `${variable}: port ${port} is taken. Stop what listens there, or set ${variable} to another port (0 takes any free one).`,
    )
    this.name = 'PortTakenError'
    this.variable = variable
  }
}

export class PortsEqualError extends Error {
  constructor(variables: readonly string[], port: number) {
    super(`${variables.join(' and ')} are all ${port}. Give each a port of its own (0 takes any free one).`)
    this.name = 'PortsEqualError'
  }
}

/** Chooses all ports before any start, so that a port in use is a clear error. */
export async function choosePorts(options: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly port: number
  readonly metricsPort: number
  readonly sandboxes: { readonly stripe: boolean; readonly clerk: boolean }
  readonly watch: boolean
}): Promise<ProductPorts> {
  const stripe = readPort(options.env, 'SANDBOX_STRIPE_PORT', 4242)
  const clerk = readPort(options.env, 'SANDBOX_CLERK_PORT', 4243)
  const editor = readPort(options.env, 'SANDBOX_EDITOR_PORT', 4244)
  const gateway = readPort(options.env, 'SANDBOX_GATEWAY_PORT', 4245)
  const isSandbox = options.sandboxes.stripe || options.sandboxes.clerk
  const workerMetrics = options.metricsPort === 0 ? 0 : options.metricsPort + 1
  refuseEqualPorts({
    PORT: options.port,
    METRICS_PORT: options.metricsPort,
    'METRICS_PORT of the worker, the next one,': workerMetrics,
    ...(options.sandboxes.stripe && { SANDBOX_STRIPE_PORT: stripe }),
    ...(options.sandboxes.clerk && { SANDBOX_CLERK_PORT: clerk }),
    ...(isSandbox && { SANDBOX_EDITOR_PORT: editor, SANDBOX_GATEWAY_PORT: gateway }),
  })
  const open = await claim('PORT', options.port)
  return {
    public: open,
    server: options.watch ? await findFreePort() : open,
    server_metrics: await claim('METRICS_PORT', options.metricsPort),
    worker_metrics: await claim('METRICS_PORT', workerMetrics),
    stripe: options.sandboxes.stripe ? await claim('SANDBOX_STRIPE_PORT', stripe) : stripe,
    clerk: options.sandboxes.clerk ? await claim('SANDBOX_CLERK_PORT', clerk) : clerk,
    editor: isSandbox ? await claim('SANDBOX_EDITOR_PORT', editor) : editor,
    gateway: isSandbox ? await claim('SANDBOX_GATEWAY_PORT', gateway) : gateway,
  }
}

/** Equal ports are still free here; the second process to listen would fail. */
function refuseEqualPorts(ports: Readonly<Record<string, number>>): void {
  for (const [port, same] of Map.groupBy(Object.entries(ports), ([, number]) => number)) {
    if (port === 0 || same.length === 1) continue
    throw new PortsEqualError(
      same.map(([variable]) => variable),
      port,
    )
  }
}

async function claim(variable: string, port: number): Promise<number> {
  if (port === 0) return findFreePort()
  if (!(await isPortFree(port))) throw new PortTakenError(variable, port)
  return port
}

function readPort(env: Readonly<Record<string, string | undefined>>, name: string, usual: number): number {
  const value = env[name]
  if (value === undefined || value === '') return usual
  const port = Number(value)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`${name}: ${value} is not a port`)
  return port
}
