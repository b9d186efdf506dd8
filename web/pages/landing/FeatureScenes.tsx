import { Check, FileCode2, LoaderCircle } from 'lucide-react'
import { Scene } from './Scene.tsx'

const files = [
  { name: 'routes/invoices.ts', added: 24, removed: 3 },
  { name: 'invoices/pdf.ts', added: 61, removed: 0 },
  { name: 'invoices/pdf.test.ts', added: 38, removed: 0 },
]

export function AgentScene() {
  return (
    <Scene label="The agent's plan with two steps done and one running, and the three files it changed">
      <div className="rounded-card border bg-surface p-5 text-sm shadow-card">
        <p className="font-medium">Let customers download an invoice as PDF</p>
        <ol className="mt-4 space-y-2.5 text-muted">
          <li className="flex items-center gap-2.5">
            <Check className="size-4 text-positive" /> Find where invoices are rendered
          </li>
          <li className="flex items-center gap-2.5">
            <Check className="size-4 text-positive" /> Write the route and the document
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
    </Scene>
  )
}
