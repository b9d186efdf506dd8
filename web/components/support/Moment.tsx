import { formatDay, formatTime, readerLocales } from '../format.ts'

const exactly = new Intl.DateTimeFormat(readerLocales, { dateStyle: 'full', timeStyle: 'long' })

/** Day and time; to the second where the mouse rests. */
export function Moment({ at, className }: { at: string; className?: string }) {
  return (
    <time dateTime={at} title={exactly.format(new Date(at))} className={className}>
      {formatDay(at)} <span className="text-faint">{formatTime(at)}</span>
    </time>
  )
}
