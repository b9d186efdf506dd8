import { ArrowRight, Star } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useSignedIn, useWebConfig } from '../../api/catalogue.ts'
import { SourceOf } from '../../components/marketing/sections.tsx'
import { TideLines } from '../../components/TideLines.tsx'
import { claims } from '../../content/site/claims.ts'
import { hero, landing } from '../../content/site/landing.ts'
import { Badge } from '../../ui/Badge.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'

export function Hero() {
  const { name } = useWebConfig().brand
  return (
    <section className="relative isolate -mt-16 overflow-hidden pt-16">
      <TideLines className="absolute inset-x-0 bottom-0 -z-10 h-[26rem]" />
      <div className="mx-auto flex max-w-4xl flex-col items-center px-5 pt-16 text-center sm:px-8 sm:pt-24">
        <Badge tone="accent" size="large">
          {hero.badge(name)}
        </Badge>
        <h1 className="mt-6 text-4xl sm:text-5xl lg:text-6xl">{hero.title}</h1>
        <p className="mt-6 max-w-2xl text-balance text-lg text-muted leading-relaxed sm:text-xl">
          {hero.text(name)}
        </p>
        <div className="mt-9 flex w-full flex-col gap-3 sm:w-auto sm:flex-row">
          <StartButton />
          <LinkButton size="large" variant="secondary" href="/#features">
            Explore Features
          </LinkButton>
        </div>
        <Rating />
      </div>
      {landing.demo && (
        <div className="mx-auto max-w-5xl px-5 pt-14 sm:px-8">
          <DemoVideo />
        </div>
      )}
      <div className="h-16 sm:h-20" />
    </section>
  )
}

function Rating() {
  const { marketplace_url } = useWebConfig().brand
  const { rating } = claims
  if (!rating) return null
  const content = (
    <>
      <Star aria-hidden="true" className="size-4 fill-star text-star" />
      <span>
        <strong className="font-semibold text-ink tabular-nums">{rating.value}</strong> {rating.label}
        <SourceOf claim={rating} />
      </span>
    </>
  )
  const style = 'mt-7 inline-flex items-center gap-2 rounded-md text-muted text-sm'
  if (!marketplace_url) return <p className={style}>{content}</p>
  return (
    <a href={marketplace_url} className={`${style} hover:text-ink`}>
      {content}
    </a>
  )
}

export function StartButton() {
  const signedIn = useSignedIn()
  return (
    <LinkButton size="large" href={signedIn ? '/dashboard' : '/sign-up'}>
      {signedIn ? 'Go to Dashboard' : 'Get Started'}
      <ArrowRight aria-hidden="true" />
    </LinkButton>
  )
}

/**
 * Plays once when most of it is in view, unless the reader wants no motion. Nothing but the poster is loaded
 * before that.
 */
function DemoVideo() {
  const ref = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    const video = ref.current
    if (!video || window.matchMedia('(prefers-reduced-motion: reduce)').matches) return
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return
        observer.disconnect()
        // Browsers may refuse to begin by themselves; the controls are there.
        video.play().catch(() => undefined)
      },
      { threshold: 0.6 },
    )
    observer.observe(video)
    return () => observer.disconnect()
  }, [])
  if (!landing.demo) return null
  const { video, label, ...shape } = landing.demo
  return (
    <video
      ref={ref}
      src={video}
      aria-label={label}
      {...{ poster: shape.poster, width: shape.width, height: shape.height }}
      className="h-auto w-full rounded-card border bg-surface shadow-float"
      controls
      muted
      playsInline
      preload="none"
    />
  )
}
