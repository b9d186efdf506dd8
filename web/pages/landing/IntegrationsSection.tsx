import { Pause, Play } from 'lucide-react'
import { integrations } from '../../content/site/integrations.ts'
import { sections } from '../../content/site/landing.ts'
import { buttonStyle } from '../../ui/buttonStyle.ts'

/**
 * A row that moves by itself, and stands still while a pointer or the keyboard is on it, by its switch, and for
 * readers who want no motion. It works without a script: only the server renders it.
 */
export function IntegrationsSection() {
  if (integrations.length === 0) return null
  return (
    <section aria-labelledby="integrations-title" className="group border-t bg-surface">
      <div className="mx-auto max-w-6xl px-5 py-12 sm:px-8 sm:py-14">
        <h2 id="integrations-title" className="text-center font-medium text-muted text-sm tracking-normal">
          {sections.integrations}
        </h2>
        <div className="mt-8 overflow-hidden motion-safe:[mask-image:linear-gradient(to_right,transparent,black_5%,black_95%,transparent)]">
          <div
            data-moving
            className="flex hover:[animation-play-state:paused] group-has-[:checked]:[animation-play-state:paused] group-has-[:focus-visible]:[animation-play-state:paused] motion-safe:w-max motion-safe:animate-slide"
          >
            <Tools />
            <Tools copy />
          </div>
        </div>
        <label
          className={buttonStyle({
            variant: 'quiet',
            size: 'icon',
            className:
              'mx-auto mt-4 flex! has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-accent motion-reduce:hidden!',
          })}
        >
          <input type="checkbox" className="peer sr-only" />
          <span className="sr-only">Pause the row of tools</span>
          <Pause aria-hidden="true" className="peer-checked:hidden" />
          <Play aria-hidden="true" className="hidden peer-checked:block" />
        </label>
      </div>
    </section>
  )
}

/** The copy follows the row without a gap, and is for the eye only. */
function Tools({ copy }: { copy?: boolean }) {
  return (
    <ul
      aria-hidden={copy}
      className={`flex shrink-0 gap-x-12 gap-y-6 pr-12 motion-reduce:shrink motion-reduce:flex-wrap motion-reduce:justify-center ${copy ? 'motion-reduce:hidden' : ''}`}
    >
      {integrations.map(({ slug, title, path }) => (
        <li
          key={slug}
          className="flex items-center gap-2.5 font-semibold text-base text-faint tracking-tight transition-colors hover:text-ink"
        >
          <svg viewBox="0 0 24 24" fill="currentColor" aria-hidden="true" className="size-5 shrink-0">
            <path d={path} />
          </svg>
          {title}
        </li>
      ))}
    </ul>
  )
}
