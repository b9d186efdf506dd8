import { FlaskConical } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { useWebConfig } from '../api/catalogue.ts'
import { Badge } from '../ui/Badge.tsx'

const SandboxPanel = lazy(async () => ({
  default: (await import('./sandbox-panel/SandboxPanel.tsx')).SandboxPanel,
}))

/** Shown while payments and sign-in are simulated. The controls' code is loaded on demand. */
export function SandboxMarker() {
  const { sandbox } = useWebConfig()
  const [isOpen, setIsOpen] = useState(false)
  const chip = useRef<HTMLButtonElement>(null)
  if (!sandbox) return null
  return (
    <>
      <button
        ref={chip}
        type="button"
        aria-haspopup="dialog"
        title="Payments and sign-in are simulated here. No real money is charged."
        className="inline-flex rounded-full"
        onClick={() => setIsOpen(true)}
      >
        <Badge tone="caution" className="hover:border-caution">
          <FlaskConical aria-hidden="true" />
          Sandbox
        </Badge>
      </button>
      {isOpen && (
        <Suspense>
          <SandboxPanel opener={chip} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
