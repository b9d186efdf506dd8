import { clsx } from 'clsx'
import { Braces, Check, Command, FileCode2, LoaderCircle, PanelsTopLeft, SquareTerminal } from 'lucide-react'
import type { ReactNode } from 'react'
import { Mark } from '../../components/Logo.tsx'

const files = [
  { name: 'routes/invoices.ts', added: 24, removed: 3 },
  { name: 'invoices/pdf.ts', added: 61, removed: 0 },
  { name: 'invoices/pdf.test.ts', added: 38, removed: 0 },
]

export function AgentIllustration() {
  return (
    <Frame label="The agent’s plan, with two steps done and one running, and the three files it changed">
      <div className="rounded-card border bg-surface p-5 text-sm shadow-card">
        <p className="font-medium">Let customers download an invoice as a PDF</p>
        <ol className="mt-4 space-y-2.5 text-muted">
          <li className="flex items-center gap-2.5">
            <Check className="size-4 text-positive" /> Find where invoices are rendered
          </li>
          <li className="flex items-center gap-2.5">
            <Check className="size-4 text-positive" /> Write the route and the PDF
          </li>
          <li className="flex items-center gap-2.5 text-ink">
            <LoaderCircle className="size-4 text-accent-text" /> Run the tests
          </li>
        </ol>
        <ul className="mt-5 divide-y divide-line rounded-control border bg-sunken">
          {files.map(({ name, added, removed }) => (
            <li key={name} className="flex items-center gap-2 px-3 py-2.5 font-mono text-xs">
              <FileCode2 className="size-3.5 shrink-0 text-faint" />
              <span className="truncate">{name}</span>
              <span className="ml-auto text-positive tabular-nums">+{added}</span>
              <span className="w-6 text-right text-critical tabular-nums">
                {removed > 0 && `−${removed}`}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </Frame>
  )
}

const completion: readonly CodeLine[] = [
  { text: 'interface Station {' },
  { text: '  id: string' },
  { text: '  height_mm: number' },
  { text: '}' },
  { text: '' },
  { text: 'function highest(stations: Station[]) {' },
  { text: '  return stations.reduce((a, b) =>', isGhost: true },
  { text: '    a.height_mm > b.height_mm ? a : b,', isGhost: true },
  { text: '  )', isGhost: true },
  { text: '}' },
]

export function CompletionIllustration() {
  return (
    <Frame label="A function with a suggested body in gray, which the Tab key accepts">
      <div className="relative overflow-hidden rounded-card border bg-surface shadow-card">
        <Code lines={completion} />
        <p className="absolute right-4 bottom-4 flex items-center gap-2 text-faint text-xs">
          <kbd className="rounded-md border border-line-strong bg-sunken px-1.5 py-0.5 font-medium font-sans text-ink shadow-low">
            Tab
          </kbd>
          to accept
        </p>
      </div>
    </Frame>
  )
}

const editors = [
  { name: 'VS Code', Icon: PanelsTopLeft, connected: true },
  { name: 'Cursor', Icon: Command, connected: false },
  { name: 'Windsurf', Icon: SquareTerminal, connected: false },
  { name: 'VSCodium', Icon: Braces, connected: false },
]

export function AccountIllustration() {
  return (
    <Frame label="One account, connected to VS Code, and the other editors that can sign in: Cursor, Windsurf and VSCodium">
      <div className="flex flex-col items-center">
        <div className="flex items-center gap-3 rounded-card border bg-surface py-3 pr-5 pl-3.5 text-sm shadow-card">
          <Mark className="size-8" />
          <span>
            <span className="block font-medium">Your account</span>
            <span className="block text-muted text-xs tabular-nums">500 credits</span>
          </span>
        </div>
        <span className="h-7 w-px bg-line-strong" />
        <div className="grid w-full grid-cols-2 gap-3">
          {editors.map(({ name, Icon, connected }) => (
            <div
              key={name}
              className="flex items-center gap-3 rounded-card border bg-surface p-3.5 text-sm shadow-low"
            >
              <span className="grid size-8 shrink-0 place-items-center rounded-control bg-sunken text-muted">
                <Icon className="size-4" />
              </span>
              <span className="min-w-0">
                <span className="block truncate font-medium">{name}</span>
                <span className="flex items-center gap-1.5 text-muted text-xs">
                  {connected && <span className="size-1.5 rounded-full bg-positive" />}
                  {connected ? 'Connected' : 'Ready to sign in'}
                </span>
              </span>
            </div>
          ))}
        </div>
      </div>
    </Frame>
  )
}

function Frame({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div
      role="img"
      aria-label={label}
      className="rounded-2xl border bg-linear-to-br from-accent-soft to-sunken p-5 sm:p-9"
    >
      {children}
    </div>
  )
}

interface CodeLine {
  text: string
  /** Suggested, and not accepted yet. */
  isGhost?: boolean
}

const keyword = /\b(import|from|export|async|function|return|const|interface|await)\b/

/** A picture of a few lines of code. It colors a handful of keywords and is no real syntax highlighter. */
function Code({ lines }: { lines: readonly CodeLine[] }) {
  return (
    <pre className="overflow-hidden py-4 font-mono text-xs leading-6">
      {lines.map(({ text, isGhost }, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are a constant, so the index identifies a line.
          key={index}
          className={clsx('flex min-w-max pr-6', isGhost && 'text-faint italic')}
        >
          <span className="w-11 shrink-0 select-none pr-4 text-right text-faint tabular-nums">
            {index + 1}
          </span>
          <span className="w-4 shrink-0" />
          <code>{isGhost ? text : paint(text)}</code>
        </div>
      ))}
    </pre>
  )
}

function paint(text: string) {
  return text.split(keyword).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a constant line keep their order.
    <span key={index} className={keyword.test(part) ? 'text-accent-text' : undefined}>
      {part}
    </span>
  ))
}
