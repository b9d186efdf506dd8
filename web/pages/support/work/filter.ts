import { type WorkKind, type WorkState, workKinds, workStates } from '../../../../schema/api/support.ts'
import type { WorkFilter } from '../../../api/support.ts'

export const longestText = 100

/** The filter in a URL. Unknown values are ignored, because a URL can be written by hand. */
export function readFilter(query: URLSearchParams): WorkFilter {
  const kind = workKinds.find((name): name is WorkKind => name === query.get('kind'))
  const state = workStates.find((name): name is WorkState => name === query.get('state'))
  const [from, to] = [momentOf(query.get('from')), momentOf(query.get('to'))]
  const text = query.get('text')?.trim().slice(0, longestText)
  return {
    ...(kind && { kind }),
    ...(state && { state }),
    ...(from && { from }),
    ...(to && { to }),
    ...(text && { text }),
  }
}

/** A minute of a field, in UTC, or an ISO moment; undefined for what is none. */
function momentOf(text: string | null): string | undefined {
  const at = Date.parse(text?.replace(/T\d\d:\d\d$/, '$&Z') ?? '')
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
