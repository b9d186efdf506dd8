import type { CodeLine } from './Code.tsx'

export const sceneDiff: readonly CodeLine[] = [
  { text: "import { schedule } from './schedule.ts'" },
  { text: '' },
  { text: 'export async function fetchTide(station: Station) {', mark: 'removed' },
  { text: '  return parse(await request(station.url))', mark: 'removed' },
  { text: '}', mark: 'removed' },
  { text: 'const attempts = 3', mark: 'added' },
  { text: '', mark: 'added' },
  { text: '/** Tries three times, a little longer apart each time. */', mark: 'added' },
  { text: 'export async function fetchTide(station: Station) {', mark: 'added' },
  { text: '  return retry({ attempts, delay: backoff }, async () =>', mark: 'added' },
  { text: '    parse(await request(station.url)),', mark: 'added' },
  { text: '  )', mark: 'added' },
  { text: '}', mark: 'added' },
  { text: '' },
  { text: 'export const tides = schedule(stations, fetchTide)' },
]

export const completion: readonly CodeLine[] = [
  { text: 'interface Station {' },
  { text: '  id: string' },
  { text: '  height_mm: number' },
  { text: '}' },
  { text: '' },
  { text: 'function highest(stations: Station[]) {' },
  { text: '  return stations.reduce((a, b) =>', mark: 'ghost' },
  { text: '    a.height_mm > b.height_mm ? a : b,', mark: 'ghost' },
  { text: '  )', mark: 'ghost' },
  { text: '}' },
]
