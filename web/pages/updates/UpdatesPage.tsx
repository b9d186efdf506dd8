import { SampleMark } from '../../components/marketing/sections.tsx'
import { TideLines } from '../../components/TideLines.tsx'
import { useHydrated } from '../../components/useHydrated.ts'
import { updates } from '../../content/site/updates.ts'
import { readerLocales } from '../../reader.ts'

export function UpdatesPage() {
  const locale = useHydrated() ? readerLocales : 'en-US'
  const firstSample = updates.find(({ sample }) => sample)
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
  return (
    <section className="relative isolate -mt-16 overflow-hidden pt-16">
      <TideLines className="absolute inset-x-0 bottom-0 -z-10 h-72" />
      <div className="mx-auto max-w-4xl px-5 pt-14 pb-24 sm:px-8 sm:pt-20 sm:pb-32">
        <h1 className="text-4xl sm:text-5xl">Updates</h1>
        <p className="mt-5 max-w-xl text-lg text-muted leading-relaxed">What is new, latest first.</p>
        {updates.length > 0 && (
          <ol className="mt-14 space-y-14">
            {updates.map(({ date, title, text, points }) => (
              <li key={title} className="grid gap-x-10 gap-y-3 border-t pt-8 md:grid-cols-[11rem_1fr]">
                <div className="text-faint text-sm leading-7">
                  <time dateTime={date} className="tabular-nums">
                    {day.format(new Date(date))}
                  </time>
                  {date === firstSample?.date && <SampleMark of={updates} />}
                </div>
                <article>
                  <h2 className="text-2xl">{title}</h2>
                  <p className="mt-3 text-lg text-muted leading-relaxed">{text}</p>
                  <ul className="mt-5 list-disc space-y-2 pl-5 text-base leading-relaxed marker:text-accent-text">
                    {points.map((point) => (
                      <li key={point}>{point}</li>
                    ))}
                  </ul>
                </article>
              </li>
            ))}
          </ol>
        )}
      </div>
    </section>
  )
}
