import { type ReactNode, useState } from 'react'
import { ActDialog } from './ActDialog.tsx'
import { ActContext, type ActRequest } from './useAct.ts'

export function ActProvider({ children }: { children: ReactNode }) {
  const [request, setRequest] = useState<ActRequest | null>(null)
  return (
    <ActContext value={setRequest}>
      {children}
      {request && <ActDialog request={request} onClose={() => setRequest(null)} />}
    </ActContext>
  )
}
