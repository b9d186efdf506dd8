import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { cn } from '../../ui/cn.ts'

const copiedForMs = 2000

/** An id with a button that copies it. */
export function CopyId({ id, className }: { id: string; className?: string }) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), copiedForMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const Icon = isCopied ? Check : Copy
  return (
    <span className={cn('inline-flex min-w-0 max-w-full items-center gap-0.5', className)}>
      <code className="truncate font-mono text-xs" title={id}>
        {id}
      </code>
      <button
        type="button"
        aria-label={`Copy ${id}`}
        className="grid size-6 shrink-0 place-items-center rounded-md text-faint hover:bg-hover hover:text-ink"
        onClick={() => void navigator.clipboard.writeText(id).then(() => setIsCopied(true))}
      >
        <Icon aria-hidden="true" className={cn('size-3.5', isCopied && 'text-positive')} />
      </button>
      <span aria-live="polite" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </span>
  )
}
