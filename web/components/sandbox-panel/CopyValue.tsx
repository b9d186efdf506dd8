import { Check, Copy } from 'lucide-react'
import { useCopied } from '../useCopied.ts'

export function CopyValue({ name, value }: { name: string; value: string }) {
  const [isCopied, copy] = useCopied()
  return (
    <button
      type="button"
      aria-label={`Copy ${value} (${name})`}
      className="group flex w-full flex-wrap items-center justify-between gap-x-3 rounded-control border bg-surface px-3 py-2 text-left text-sm hover:bg-hover"
      onClick={() => void copy(value)}
    >
      <span className="text-muted">{name}</span>
      <span className="flex shrink-0 items-center gap-2 font-mono text-xs">
        {value}
        {isCopied ? (
          <Check aria-hidden="true" className="size-3.5 text-positive" />
        ) : (
          <Copy aria-hidden="true" className="size-3.5 text-faint group-hover:text-ink" />
        )}
      </span>
      <span aria-live="polite" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </button>
  )
}
