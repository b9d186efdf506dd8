import { useEffect, useRef } from 'react'
import { landing } from '../../content/site/landing.ts'

/**
 * Plays once when most of it is in view, unless the reader wants no motion. Nothing but the poster is loaded
 * before that.
 */
export function DemoVideo() {
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
