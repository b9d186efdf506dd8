import { useCallback, useEffect, useState } from 'react'

interface Fault {
  readonly status: number | null
  readonly drop_after?: boolean
  readonly count: number | null
}

/** The stand-ins' state; `null` for real services. See server/middleware/sandbox-controls.ts. */
export interface SandboxState {
  readonly stripe: {
    readonly now: string
    readonly delivery_rules: readonly { readonly mode: string }[]
    readonly deliveries: { readonly withheld: number }
    readonly faults: readonly Fault[]
  } | null
  readonly clerk: { readonly data: readonly Fault[] } | null
}

export type Knob =
  | { readonly path: 'stripe/clock/advance'; readonly body: { readonly days: number } }
  | { readonly path: 'stripe/deliveries'; readonly body: { readonly mode: string } }
  | { readonly path: 'stripe/deliveries/release' }
  | { readonly path: 'stripe/faults' | 'clerk/faults'; readonly body: object | null }

/** The stand-ins' state and knobs, without the query client, which public pages lack. */
export function useSandbox() {
  const [state, setState] = useState<SandboxState | null>(null)
  const [isFailed, setIsFailed] = useState(false)
  const [busy, setBusy] = useState<Knob['path'] | null>(null)

  const load = useCallback(async () => {
    try {
      setState(await ask('/__sandbox'))
      setIsFailed(false)
    } catch {
      setIsFailed(true)
    }
  }, [])
  useEffect(() => void load(), [load])

  /** True when it was turned. */
  async function turn(knob: Knob): Promise<boolean> {
    setBusy(knob.path)
    try {
      const body = 'body' in knob ? knob.body : {}
      const request = body === null ? { method: 'DELETE' } : { method: 'POST', body: JSON.stringify(body) }
      await ask(`/__sandbox/${knob.path}`, request)
      await load()
      return true
    } catch {
      setIsFailed(true)
      return false
    } finally {
      setBusy(null)
    }
  }

  return { state, isFailed, busy, turn }
}

async function ask<Answer>(path: string, request: RequestInit = {}): Promise<Answer> {
  const response = await fetch(path, request)
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return (await response.json()) as Answer
}
