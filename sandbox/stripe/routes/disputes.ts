import type { Router } from '@koa/router'
import { z } from 'zod'
import { closeDispute, isClosed } from '../entities/dispute.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredDispute } from '../state.ts'
import { flag, metadata, range, text } from '../wire/params.ts'
import { putUpdated, resource } from './resource.ts'

const updateParams = {
  evidence: z.record(z.string(), text).optional(),
  metadata: metadata.optional(),
  submit: flag.optional(),
}
/** In Stripe's test mode this text, given as evidence, decides the case at once. */
const verdicts: Record<string, 'lost' | 'won'> = { winning_evidence: 'won', losing_evidence: 'lost' }

export function disputeRoutes(router: Router, service: Service): void {
  const { store } = service

  resource(router, service, {
    path: '/v1/disputes',
    noun: 'dispute',
    table: store.disputes,
    filters: { charge: text.optional(), created: range.optional(), payment_intent: text.optional() },
    changes: updateParams,
    update: (before, { params: { evidence, metadata, submit = true }, cause }) => {
      const unknown = Object.keys(evidence ?? {}).find((name) => !(name in before.evidence))
      if (unknown)
        throw invalidRequest(`Received unknown parameter: evidence[${unknown}]`, {
          code: 'parameter_unknown',
        })
      if (evidence && isClosed(before)) {
        throw invalidRequest('This dispute is already closed', { param: 'evidence' })
      }
      const is_submitted = evidence !== undefined && submit
      const after = putUpdated(service, store.disputes, {
        before,
        metadata,
        event: 'charge.dispute.updated',
        cause,
        changes: {
          evidence: { ...before.evidence, ...evidence },
          evidence_details: {
            ...before.evidence_details,
            has_evidence: before.evidence_details.has_evidence || evidence !== undefined,
            submission_count: before.evidence_details.submission_count + (is_submitted ? 1 : 0),
            submission_method: is_submitted ? 'manual' : before.evidence_details.submission_method,
          },
          status: is_submitted ? underReview(before.status) : before.status,
        },
      })
      const outcome = is_submitted ? verdicts[evidence.uncategorized_text ?? ''] : undefined
      return outcome ? closeDispute(service, { dispute: after, outcome, cause }) : after
    },
  })
}

/** Evidence does not make a dispute of an inquiry, or of an appeal. */
function underReview(status: StoredDispute['status']): StoredDispute['status'] {
  if (status.startsWith('warning_')) return 'warning_under_review'
  return status.startsWith('appeal_') ? 'appeal_under_review' : 'under_review'
}
