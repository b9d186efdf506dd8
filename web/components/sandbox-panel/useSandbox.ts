import { useCallback, useEffect, useState } from 'react'

interface Fault {
  readonly count: number | null
}

interface SandboxPerson {
  readonly name: string
  readonly email: string
  readonly password: string
  readonly opens: '/dashboard' | '/support'
}

/** The stand-ins' state; `null` for real services. See server/middleware/sandbox-controls.ts. */
export interface SandboxState {
  readonly stripe: {
    readonly now: string
    readonly delivery_rules: readonly { readonly mode: string }[]
    readonly deliveries: { readonly withheld: number }
    readonly faults: readonly Fault[]
  } | null
  readonly clerk: { readonly faults: readonly Fault[]; readonly people: readonly SandboxPerson[] } | null
  /** The model gateway of the sample editor. */
  readonly gateway: { readonly faults: readonly Fault[] } | null
  readonly mails: readonly { readonly to: string; readonly subject: string; readonly text: string }[]
}

/** A path below `/__sandbox`; without a body what was ordered there is ended. */
export interface Knob {
  readonly path: string
  readonly body: object | null
}

export interface KnobProps {
  readonly isBusy: boolean
  /** True when it was turned. */
  readonly turn: (knob: Knob) => Promise<boolean>
}

/** The stand-ins' state and knobs, without the query client, which public pages lack. */
export function useSandbox() {
  const [state, setState] = useState<SandboxState | null>(null)
  const [isFailed, setIsFailed] = useState(false)
  const [busy, setBusy] = useState<string | null>(null)

  const load = useCallback(async () => {
    try {
      setState(await ask('/__sandbox'))
      setIsFailed(false)
    } catch {
      setIsFailed(true)
    }
  }, [])
  useEffect(() => void load(), [load])

  async function turn({ path, body }: Knob): Promise<boolean> {
    setBusy(path)
    try {
      const request = body ? { method: 'POST', body: JSON.stringify(body) } : { method: 'DELETE' }
      await ask(`/__sandbox/${path}`, request)
      await load()
      return true
    } catch {
      setIsFailed(true)
      return false
    } finally {
      setBusy(null)
    }
  }

  /**
   * Signs this browser in as another person, by the calls of Clerk's own sign-in: `DELETE /v1/client/sessions`
   * and `POST /v1/client/sign_ins` with a password (https://clerk.com/docs/reference/frontend-api). No other
   * Clerk has these people.
   */
  async function signInAs({ email, password, opens }: SandboxPerson): Promise<void> {
    const client = '/__clerk/v1/client'
    const form = { strategy: 'password', identifier: email, password }
    try {
      await ask(`${client}/sessions?_method=DELETE`, { method: 'POST' })
      await ask(`${client}/sign_ins`, { method: 'POST', body: new URLSearchParams(form) })
      window.location.assign(opens)
    } catch {
      setIsFailed(true)
    }
  }

  return { state, isFailed, busy, turn, signInAs }
}

async function ask<Answer>(path: string, request: RequestInit = {}): Promise<Answer> {
  const response = await fetch(path, request)
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return (await response.json()) as Answer
}
