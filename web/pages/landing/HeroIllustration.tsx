import { Check, FileCode2, Terminal } from 'lucide-react'
import type { CSSProperties, ReactNode } from 'react'
import { Code, type CodeLine } from './Code.tsx'

const before: readonly string[] = [
  'export async function fetchTide(station: Station) {',
  '  return parse(await request(station.url))',
  '}',
]
const after: readonly string[] = [
  'const attempts = 3',
  '',
  '/** Tries three times, waiting a little longer each time. */',
  'export async function fetchTide(station: Station) {',
  '  return retry({ attempts, delay: backoff }, async () =>',
  '    parse(await request(station.url)),',
  '  )',
  '}',
]

/** Plays once: the task, the plan, the change line by line, the tests, and the final question. */
const plays = { task: 1, plan: 2.5, change: 5, tests: 9, review: 11 }
const stepsALine = 0.35

const diff: readonly CodeLine[] = [
  { text: "import { schedule } from './schedule.ts'" },
  { text: '' },
  ...before.map((text) => ({ text, mark: 'removed' as const, step: plays.change })),
  ...after.map((text, line) => ({
    text,
    mark: 'added' as const,
    step: plays.change + (line + 1) * stepsALine,
  })),
  { text: '' },
  { text: 'export const tides = schedule(stations, fetchTide)' },
]

const plan = ['Read 6 files around fetchTide', 'Add a bounded retry', 'Cover it with a test']

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
        <span className="hidden items-center gap-1.5 px-2.5 py-1 text-faint text-xs sm:flex">
          <FileCode2 className="size-3.5" />
          tides.test.ts
        </span>
      </div>
      <div className="grid md:grid-cols-[1fr_19rem]">
        <div className="order-last overflow-hidden border-t md:order-none md:border-t-0">
          <Code lines={diff} />
        </div>
        <div className="flex flex-col gap-4 bg-sunken p-4 text-xs md:border-l">
          <Appearing
            step={plays.task}
            className="self-end rounded-xl rounded-br-sm bg-accent px-3 py-2 text-on-accent"
          >
            Retry failed tide requests, but never more than three times.
          </Appearing>
          <div className="space-y-2 text-muted">
            {plan.map((line, index) => (
              <Appearing key={line} step={plays.plan + index} className="flex items-center gap-2">
                <Check className="size-3.5 shrink-0 text-positive" />
                {line}
              </Appearing>
            ))}
          </div>
          <Appearing
            step={plays.tests}
            className="flex items-center gap-2 rounded-control border bg-surface px-3 py-2 font-mono text-xs"
          >
            <Terminal className="size-3.5 shrink-0 text-faint" />
            npm test
            <span className="ml-auto text-positive">14 passed</span>
          </Appearing>
          <Appearing step={plays.review} className="mt-auto space-y-3 rounded-control border bg-surface p-3">
            <span className="flex items-center justify-between">
              <span className="font-medium text-ink">2 files changed</span>
              <span className="font-mono text-xs">
                <span className="text-positive">+31</span> <span className="text-critical">−3</span>
              </span>
            </span>
            <span className="grid grid-cols-2 gap-2 text-center font-medium">
              <span className="rounded-control border border-line-strong py-1.5">Undo</span>
              <span className="rounded-control bg-accent py-1.5 text-on-accent">Keep</span>
            </span>
          </Appearing>
        </div>
      </div>
    </div>
  )
}

function Appearing({ step, className, children }: { step: number; className: string; children: ReactNode }) {
  return (
    <div style={{ '--step': step } as CSSProperties} className={`animate-appear ${className}`}>
      {children}
    </div>
  )
}
