import { clsx } from 'clsx'

export interface CodeLine {
  text: string
  mark?: 'added' | 'removed' | 'ghost'
}

const keyword = /\b(import|from|export|async|function|return|const|interface|await)\b/
const lineClass = {
  added: 'bg-positive-soft',
  removed: 'bg-critical-soft text-muted',
  ghost: 'text-faint italic',
}
const sign = { added: '+', removed: '−', ghost: ' ' }

/** A picture of a few lines of code. It colors a handful of keywords and is no real syntax highlighter. */
export function Code({ lines }: { lines: readonly CodeLine[] }) {
  return (
    <pre className="overflow-hidden py-4 font-mono text-xs leading-6">
      {lines.map(({ text, mark }, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are a constant, so the index identifies a line.
          key={index}
          className={clsx('flex min-w-max pr-6', mark && lineClass[mark])}
        >
          <span className="w-11 shrink-0 select-none pr-4 text-right text-faint tabular-nums">
            {index + 1}
          </span>
          <span className="w-4 shrink-0 select-none text-faint">{mark && sign[mark]}</span>
          <code>{paint(text, mark)}</code>
        </div>
      ))}
    </pre>
  )
}

function paint(text: string, mark: CodeLine['mark']) {
  if (mark === 'ghost' || mark === 'removed') return text
  if (/^\s*\/\*\*/.test(text)) return <span className="text-faint">{text}</span>
  return text.split(keyword).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a constant line keep their order.
    <span key={index} className={keyword.test(part) ? 'text-accent-text' : undefined}>
      {part}
    </span>
  ))
}
