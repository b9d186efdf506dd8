import { readerLocales } from '../../reader.ts'
import { formatDate } from '../format.ts'

const time = new Intl.DateTimeFormat(readerLocales, {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
})
const exactly = new Intl.DateTimeFormat(readerLocales, { dateStyle: 'full', timeStyle: 'long' })

/** `14:32 UTC`, as the server's sentences write it. */
export function utcTime(iso: string): string {
  return `${time.format(new Date(iso))}\u00a0UTC`
}

/** Day and time in UTC; the reader's own, to the second, where the mouse rests. */
export function Moment({ at, className }: { at: string; className?: string }) {
  return (
    <time dateTime={at} title={exactly.format(new Date(at))} className={className}>
      {formatDate(at)} <span className="text-faint">{utcTime(at)}</span>
    </time>
  )
}
