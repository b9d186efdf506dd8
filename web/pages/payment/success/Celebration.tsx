import { clsx } from 'clsx'
import type { CSSProperties } from 'react'

const drops = ['bg-accent', 'bg-star', 'bg-positive']
const count = 12

/** Drops and ripples around the icon, once; none with reduced motion. */
export function Celebration() {
  return (
    <span aria-hidden="true" data-celebration className="absolute inset-0 motion-reduce:hidden">
      {[0, 1].map((step) => (
        <span
          key={step}
          style={{ '--step': step } as CSSProperties}
          className="absolute inset-0 animate-ripple rounded-full border-2 border-positive"
        />
      ))}
      {Array.from({ length: count }, (_, index) => `${(index * 360) / count}deg`).map((angle, index) => (
        <span
          key={angle}
          style={{ '--angle': angle } as CSSProperties}
          className={clsx(
            'absolute top-[calc(50%-0.375rem)] left-[calc(50%-0.125rem)] h-3 w-1 animate-burst rounded-full',
            drops[index % drops.length],
          )}
        />
      ))}
    </span>
  )
}
