import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { BodyInputOf, QueryOf, ResponseOf } from '../../schema/api/endpoint.ts'
import {
  getAuditLog,
  getSupportActs,
  requestSupportActs,
  type SupportAct,
} from '../../schema/api/support-acts.ts'
import { type Api, readOf } from './client.ts'
import { supportKey } from './support.ts'

const whileUnderWayMs = 1000
const every15SecondsMs = 15_000

/**
 * Those that wait for a second person, and whether a worker answers. For callers who are not support staff the call does not exist, so it
 * also decides whether the user may see the console: the user's id is in its key, and nothing else of the
 * console is shown before it has answered.
 */
export const waitingActsQuery = (api: Api, userId: string) =>
  queryOptions({
    ...readOf(api, getSupportActs, [...supportKey, userId]),
    select: ({ data }) => data,
    refetchInterval: ({ state }) => (state.error ? false : every15SecondsMs),
  })

export type RequestedActs = ResponseOf<typeof requestSupportActs>['data']

/** A POST, but one that changes nothing and happens because a dialog is open. Its id is that of the act. */
export function dryRunQuery(api: Api, body: BodyInputOf<typeof requestSupportActs>) {
  return queryOptions({
    queryKey: ['support-acts', 'dry-run', body.id],
    queryFn: async ({ signal }) =>
      (await api(requestSupportActs, { body: { ...body, is_dry_run: true }, signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}

/** Polls an act or a batch until it has ended. Not under `supportKey`, since it never changes again. */
export const actProgressQuery = (api: Api, asked: { id: string } | { batch_id: string }) =>
  queryOptions({
    ...readOf(api, getSupportActs, [], asked),
    select: ({ data }) => data,
    refetchInterval: ({ state }) => (state.data?.data.acts.every(isSettled) ? false : whileUnderWayMs),
  })

/** Nothing more happens to it by itself. */
export function isSettled({ state }: SupportAct): boolean {
  return state !== 'queued'
}

export type AuditFilter = Omit<QueryOf<typeof getAuditLog>, 'limit' | 'cursor'>

export function auditQuery(api: Api, filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: [...supportKey, 'audit', filter],
    queryFn: async ({ signal, pageParam }) =>
      (await api(getAuditLog, { query: { ...filter, ...(pageParam && { cursor: pageParam }) }, signal }))
        .data,
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
}
