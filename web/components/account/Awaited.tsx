import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { Alert } from '../../ui/Alert.tsx'
import { Spinner } from '../../ui/Spinner.tsx'

const pollMs = 1500
/** Then the page stops asking. The change is made; a reload shows it. */
const patienceMs = 2 * 60_000

/** How often a page asks for what was confirmed on Stripe's page and becomes ours when its event is applied. */
export function useAwaiting(): (isThere: boolean) => number | false {
  const [since] = useState(() => Date.now())
  return (isThere) => !isThere && Date.now() - since < patienceMs && pollMs
}

interface AwaitedProps {
  /** What the address names it by, until it is there: it may be taken back, and must not be waited for again. */
  name: string
  isThere: boolean
  onThere: () => void
  title: string
  text?: string
}

export function Awaited({ name, isThere, onThere, title, text }: AwaitedProps) {
  const [, setSearch] = useSearchParams()
  // biome-ignore lint/correctness/useExhaustiveDependencies: it comes once, whatever is said of it.
  useEffect(() => {
    if (!isThere) return
    onThere()
    setSearch((now) => [...now].filter(([other]) => other !== name), { replace: true })
  }, [isThere])
  if (isThere) return null
  return (
    <Alert title={title}>
      <span className="flex items-center gap-2">
        <Spinner className="size-3.5 shrink-0" />
        {text && `${text} `}This usually takes a few seconds.
      </span>
    </Alert>
  )
}
