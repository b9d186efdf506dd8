import { getTrace, listWork, searchSupport, visitCase } from '../../schema/api/support.ts'
import { supportStaff } from '../rights.ts'
import { route } from '../route.ts'

export const supportRoutes = [
  route(searchSupport, { rights: supportStaff }).handle(() => ({ recognized_as: null, matches: [] })),

  route(getTrace, { rights: supportStaff }).handle(() => ({
    owner: null,
    person: null,
    standing: null,
    visitors: [],
    highlighted: null,
    timeline: [],
    next_cursor: null,
  })),

  route(listWork, { rights: supportStaff }).handle((_, { now }) => ({
    rows: [],
    next_cursor: null,
    counts: [],
    queues: null,
    oldest_unapplied_event: null,
    as_of: now().toISOString(),
  })),

  route(visitCase, { rights: supportStaff }).handle(() => ({ visitors: [] })),
]
