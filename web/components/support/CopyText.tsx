import { Check, Copy } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { useCopied } from '../useCopied.ts'

/** Copies what to tell the customer, and says so. */
export function CopyText({ text }: { text: string }) {
  const [isCopied, copy] = useCopied()
  const Icon = isCopied ? Check : Copy
  return (
    <Button variant="quiet" size="small" onClick={() => void copy(text)}>
      <Icon aria-hidden="true" />
      <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
      <span className="sr-only">: {text}</span>
    </Button>
  )
}
