import { clsx } from 'clsx'

const width = 1440
const height = 320
const lines = Array.from({ length: 9 }, (_, index) => ({
  path: tidePath(index),
  opacity: 0.85 - index * 0.08,
}))

/** Wavy lines as the background of pages with little content. */
export function TideLines({ className }: { className?: string }) {
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      fill="none"
      aria-hidden="true"
      className={clsx(
        'w-full text-accent-line [mask-image:linear-gradient(to_bottom,transparent,black_70%)]',
        className,
      )}
    >
      {lines.map(({ path, opacity }) => (
        <path key={path} d={path} stroke="currentColor" opacity={opacity} vectorEffect="non-scaling-stroke" />
      ))}
    </svg>
  )
}

/** Adds two sine waves of different lengths, so that neighboring lines come close without crossing. */
function tidePath(level: number): string {
  const base = height - 20 - level * 30
  const points = Array.from({ length: 73 }, (_, step) => {
    const x = step * 20
    const y =
      base +
      Math.sin(x / 210 + level * 0.32) * (9 + level * 1.6) +
      Math.sin(x / 95 - level * 0.5) * (3 + level * 0.4)
    return `${x} ${y.toFixed(1)}`
  })
  return `M${points.join('L')}`
}
