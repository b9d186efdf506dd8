import type { Router } from '@koa/router'
import { z } from 'zod'
import { closeDispute, isClosed } from '../entities/dispute.ts'
import { changedFields, emit } from '../entities/event.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredDispute } from '../state.ts'
import { handle } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import { common, flag, isWithin, metadata, pagination, range, readParams, text } from '../wire/params.ts'

const updateParams = z.strictObject({
  ...common,
  evidence: z.record(z.string(), text).optional(),
  metadata: metadata.optional(),
  submit: flag.optional(),
})
const listParams = z.strictObject({
  ...pagination,
  charge: text.optional(),
  created: range.optional(),
  payment_intent: text.optional(),
})

/** In Stripe's test mode this text, given as evidence, decides the case at once. */
const verdicts: Record<string, 'lost' | 'won'> = { winning_evidence: 'won', losing_evidence: 'lost' }

export function disputeRoutes(router: Router, service: Service): void {
  const { store } = service

  const find = (id: string): StoredDispute => {
    const dispute = store.disputes.get(id)
    if (!dispute) throw noSuch('dispute', id)
    return dispute
  }

  router.get(
    '/v1/disputes',
    handle(service, ({ form }) => {
      const { charge, created, payment_intent, ...cursor } = readParams(listParams, form)
      return listPage(store.disputes, cursor, {
        url: '/v1/disputes',
        noun: 'dispute',
        matches: (dispute) =>
          (charge === undefined || dispute.charge === charge) &&
          (payment_intent === undefined || dispute.payment_intent === payment_intent) &&
          isWithin(dispute.created, created),
      })
    }),
  )

  router.get(
    '/v1/disputes/:id',
    handle(service, ({ path }) => find(path('id'))),
  )

  router.post(
    '/v1/disputes/:id',
    handle(service, ({ form, path, cause }) => {
      const { evidence, metadata, submit = true } = readParams(updateParams, form)
      const before = find(path('id'))
      const unknown = Object.keys(evidence ?? {}).find((name) => !(name in before.evidence))
      if (unknown)
        throw invalidRequest(`Received unknown parameter: evidence[${unknown}]`, {
          code: 'parameter_unknown',
        })
      if (evidence && isClosed(before)) {
        throw invalidRequest('This dispute is already closed', { param: 'evidence' })
      }
      const is_submitted = evidence !== undefined && submit
      const after = store.disputes.put({
        ...before,
        evidence: { ...before.evidence, ...evidence },
        evidence_details: {
          ...before.evidence_details,
          has_evidence: before.evidence_details.has_evidence || evidence !== undefined,
          submission_count: before.evidence_details.submission_count + (is_submitted ? 1 : 0),
          submission_method: is_submitted ? 'manual' : before.evidence_details.submission_method,
        },
        metadata: mergeMetadata(before.metadata, metadata),
        status: is_submitted ? 'under_review' : before.status,
      })
      emit(service, 'charge.dispute.updated', after, {
        cause,
        previous_attributes: changedFields(before, after),
      })
      const outcome = is_submitted ? verdicts[evidence.uncategorized_text ?? ''] : undefined
      return outcome ? closeDispute(service, { dispute: after, outcome, cause }) : after
    }),
  )

  router.post(
    '/v1/disputes/:id/close',
    handle(service, ({ path, cause }) =>
      closeDispute(service, { dispute: find(path('id')), outcome: 'lost', cause }),
    ),
  )
}
