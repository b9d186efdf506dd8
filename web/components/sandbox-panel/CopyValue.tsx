import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'

const copiedForMs = 2000

/** A value with the button that copies it. */
export function CopyValue({ name, value }: { name: string; value: string }) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), copiedForMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <button
      type="button"
      aria-label={`Copy ${value} (${name})`}
      className="group flex w-full flex-wrap items-center justify-between gap-x-3 rounded-control border bg-surface px-3 py-2 text-left text-sm hover:bg-hover"
      onClick={() => void navigator.clipboard.writeText(value).then(() => setIsCopied(true))}
    >
      <span className="text-muted">{name}</span>
      <span className="flex shrink-0 items-center gap-2 font-mono text-[13px]">
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
