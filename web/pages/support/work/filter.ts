import * as z from 'zod/mini'
import { type WorkKind, type WorkState, workKinds, workStates } from '../../../../schema/api/support.ts'
import type { WorkFilter } from '../../../api/support.ts'

export const longestText = 100

/** The filter in a URL. Unknown values are ignored, because a URL can be written by hand. */
export function readFilter(query: URLSearchParams): WorkFilter {
  const kind = workKinds.find((name): name is WorkKind => name === query.get('kind'))
  const state = workStates.find((name): name is WorkState => name === query.get('state'))
  const older = query.get('older') ?? ''
  const [from, to] = [momentOf(query.get('from')), momentOf(query.get('to'))]
  const text = query.get('text')?.trim().slice(0, longestText)
  return {
    ...(kind && { kind }),
    ...(state && { state }),
    ...(/^\d{1,6}$/.test(older) && Number(older) > 0 && { older_than_minutes: Number(older) }),
    ...(from && { from }),
    ...(to && { to }),
    ...(text && { text }),
    order: query.get('order') === 'money' ? 'money' : 'age',
  }
}

export function writeFilter(filter: WorkFilter): URLSearchParams {
  const { kind, state, older_than_minutes, from, to, text, order } = filter
  return new URLSearchParams({
    ...(kind && { kind }),
    ...(state && { state }),
    ...(older_than_minutes && { older: String(older_than_minutes) }),
    ...(from && { from }),
    ...(to && { to }),
    ...(text && { text }),
    ...(order === 'money' && { order }),
  })
}

/** A minute of a field, in UTC, or an ISO moment; undefined for what is none. */
function momentOf(text: string | null): string | undefined {
  const at = Date.parse(text?.replace(/T\d\d:\d\d$/, '$&Z') ?? '')
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

/** As a field of the browser shows a moment: in UTC, to the minute. */
export function utcMinute(iso: string | undefined): string {
  return iso?.slice(0, 16) ?? ''
}

export type SavedFilter = z.infer<typeof savedSchema>[number]

const storedAs = 'support-filters'

/** A browser that forbids storage has none, and keeps none. */
export function loadSaved(): readonly SavedFilter[] {
  try {
    return readSaved(localStorage.getItem(storedAs))
  } catch {
    return []
  }
}

export function storeSaved(saved: readonly SavedFilter[]): void {
  try {
    localStorage.setItem(storedAs, JSON.stringify(saved))
  } catch {
    // They are there until the page is closed.
  }
}

const savedSchema = z.array(z.object({ name: z.string(), query: z.string() }))

/** The filters saved in the browser; none where they cannot be read. */
export function readSaved(stored: string | null): readonly SavedFilter[] {
  try {
    return z.safeParse(savedSchema, JSON.parse(stored ?? '[]')).data ?? []
  } catch {
    return []
  }
}

/** A name that is used again gets the new filter. */
export function addSaved(saved: readonly SavedFilter[], added: SavedFilter): readonly SavedFilter[] {
  return [...saved.filter(({ name }) => name !== added.name), added]
}
