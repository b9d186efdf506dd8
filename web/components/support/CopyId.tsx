import { Check, Copy } from 'lucide-react'
import { cn } from '../../ui/cn.ts'
import { useCopied } from '../useCopied.ts'

export function CopyId({ id, className }: { id: string; className?: string }) {
  const [isCopied, copy] = useCopied()
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
        onClick={() => void copy(id)}
      >
        <Icon aria-hidden="true" className={cn('size-3.5', isCopied && 'text-positive')} />
      </button>
      <span aria-live="polite" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </span>
  )
}
