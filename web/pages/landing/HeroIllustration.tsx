import { Check, FileCode2, Terminal } from 'lucide-react'
import { Code, type CodeLine } from './Code.tsx'

const diff: readonly CodeLine[] = [
  { text: "import { schedule } from './schedule.ts'" },
  { text: '' },
  { text: 'export async function fetchTide(station: Station) {', mark: 'removed' },
  { text: '  return parse(await request(station.url))', mark: 'removed' },
  { text: '}', mark: 'removed' },
  { text: 'const attempts = 3', mark: 'added' },
  { text: '', mark: 'added' },
  { text: '/** Tries three times, waiting a little longer each time. */', mark: 'added' },
  { text: 'export async function fetchTide(station: Station) {', mark: 'added' },
  { text: '  return retry({ attempts, delay: backoff }, async () =>', mark: 'added' },
  { text: '    parse(await request(station.url)),', mark: 'added' },
  { text: '  )', mark: 'added' },
  { text: '}', mark: 'added' },
  { text: '' },
  { text: 'export const tides = schedule(stations, fetchTide)' },
]

const steps = ['Read 6 files around fetchTide', 'Add a bounded retry', 'Cover it with a test']

/** A picture of the product at work, built from the page's own colors so that it follows the theme. */
export function HeroIllustration() {
  return (
    <div
      role="img"
      aria-label="The editor with the assistant beside it: a task, its plan, the resulting diff and passing tests"
      className="overflow-hidden rounded-card border bg-surface text-left shadow-float"
    >
      <div className="flex h-10 items-center gap-2 border-b bg-sunken px-4">
        <span className="size-2.5 rounded-full bg-line-strong" />
        <span className="size-2.5 rounded-full bg-line-strong" />
        <span className="size-2.5 rounded-full bg-line-strong" />
        <span className="ml-3 flex items-center gap-1.5 rounded-md bg-surface px-2.5 py-1 text-muted text-xs ring-1 ring-line">
          <FileCode2 className="size-3.5 text-accent-text" />
          tides.ts
        </span>
      </div>
      <div className="grid md:grid-cols-[1fr_19rem]">
        <Code lines={diff} />
        <div className="flex flex-col gap-4 border-t bg-sunken p-4 text-[13px] md:border-t-0 md:border-l">
          <p className="self-end rounded-xl rounded-br-sm bg-accent px-3 py-2 text-on-accent">
            Retry failed tide requests, but never more than three times.
          </p>
          <ul className="space-y-2 text-muted">
            {steps.map((step) => (
              <li key={step} className="flex items-center gap-2">
                <Check className="size-3.5 shrink-0 text-positive" />
                {step}
              </li>
            ))}
          </ul>
          <p className="mt-auto flex items-center gap-2 rounded-control border bg-surface px-3 py-2 font-mono text-xs">
            <Terminal className="size-3.5 shrink-0 text-faint" />
            <span className="text-positive">14 passed</span>
            <span className="ml-auto text-faint">1.2 s</span>
          </p>
        </div>
      </div>
    </div>
  )
}
