import { Star } from 'lucide-react'
import { useWebConfig } from '../../api/catalogue.ts'
import { Fixed } from '../../components/marketing/Fixed.tsx'
import { TideLines } from '../../components/TideLines.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'
import { HeroIllustration } from './HeroIllustration.tsx'
import { StartButton } from './StartButton.tsx'

export function Hero() {
  const { brand } = useWebConfig()
  return (
    <section className="relative isolate -mt-16 overflow-hidden pt-16">
      <TideLines className="absolute inset-x-0 bottom-0 -z-10 h-[26rem]" />
      <div className="mx-auto flex max-w-4xl flex-col items-center px-5 pt-16 text-center sm:px-8 sm:pt-24">
        <Badge tone="accent" size="large">
          Welcome to {brand.name} — free to start
        </Badge>
        <h1 className="mt-6 text-4xl sm:text-5xl lg:text-6xl">
          The AI pair programmer that has read your whole codebase
        </h1>
        <p className="mt-6 max-w-2xl text-balance text-lg text-muted leading-relaxed sm:text-xl">
          {brand.name} works in the editor you already use. Hand it a task, review the diff and stay in your
          flow. Models from several vendors, one credit balance.
        </p>
        <div className="mt-9 flex w-full flex-col gap-3 sm:w-auto sm:flex-row">
          <StartButton />
          <LinkButton size="large" variant="secondary" href="/#features">
            Explore Features
          </LinkButton>
        </div>
        {brand.marketplace_url && brand.marketplace_rating !== null && (
          <a
            href={brand.marketplace_url}
            className="mt-7 inline-flex items-center gap-2 rounded-md text-muted text-sm hover:text-ink"
          >
            <Star aria-hidden="true" className="size-4 fill-star text-star" />
            <span>
              <strong className="font-semibold text-ink tabular-nums">
                {brand.marketplace_rating.toFixed(1)}/5.0
              </strong>{' '}
              on the editor marketplace
            </span>
          </a>
        )}
      </div>
      <div className="mx-auto max-w-5xl px-5 pt-14 pb-20 sm:px-8 sm:pb-28">
        <Fixed id="demo">{(import.meta.env.SSR || import.meta.env.DEV) && <HeroIllustration />}</Fixed>
      </div>
    </section>
  )
}
