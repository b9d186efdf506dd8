import type { Finding, FindingKind } from '../../../../schema/api/reconciliation.ts'
import { maximumTargets } from '../../../../schema/api/support-acts.ts'
import type { ActRequest } from '../../../components/support/acts/useAct.ts'

export const findingNames: Readonly<Record<FindingKind, string>> = {
  session_not_settled: 'Paid, not settled here',
  settled_without_payment: 'Settled here, not paid',
  invoice_unknown: 'Paid invoice missing here',
  invoice_differs: 'Invoice differs',
  refund_differs: 'Refund differs',
  dispute_differs: 'Dispute differs',
  subscription_unknown: 'Subscription missing here',
  subscription_differs: 'Subscription differs',
  subscription_plan_differs: 'Charged as another plan',
  subscription_gone: 'Subscription missing at Stripe',
  subscription_untaxed: 'Plan without tax',
  owner_gone: 'Owner of a plan missing at Clerk',
  organization_without_admin: 'Organization without an admin',
  seat_without_membership: 'Seat without a member',
  membership_without_seat: 'Member without the seat',
  seat_role_differs: 'Role of a seat differs',
  member_limit_differs: 'Limit of members differs',
  credits_missing: 'Credits missing',
  credits_too_many: 'Too many credits',
  grant_unexplained: 'Grant without a cause',
  adjustment_unexplained: 'Correction without an act',
  event_unapplied: 'Event not applied',
  work_overdue: 'Work overdue',
}

/**
 * The act that repairs the finding, in the form of the dialog. Where a person has to decide, it is an
 * adjustment of the owner's credits, with the finding as its reason; null when the owner is unknown.
 */
export function actOf({ id, sentence, repair, owner }: Finding): ActRequest | null {
  if (!repair)
    return (
      owner && {
        kind: 'adjust',
        targets: [{ kind: owner.kind, id: owner.id, finding_id: id }],
        subject: sentence,
      }
    )
  return {
    kind: repair.kind,
    targets: [{ ...repair.target, finding_id: id }],
    subject: sentence,
    params: repair.params,
  }
}

/**
 * The acts that repair all findings at once, one per kind of act and each target once, because two acts on
 * one target would be refused. Without adjustments: each has its own number of credits and text.
 */
export function actsOf(findings: readonly Finding[]): readonly ActRequest[] {
  return (['replay', 'resync', 'cancel_subscription'] as const).flatMap((kind) => {
    const targets = new Map(
      findings.flatMap(({ id, repair }) =>
        repair?.kind === kind
          ? [[`${repair.target.kind}:${repair.target.id}`, { ...repair.target, finding_id: id }] as const]
          : [],
      ),
    )
    const [first] = findings
    return targets.size > 0 && first
      ? [{ kind, targets: [...targets.values()].slice(0, maximumTargets), subject: first.sentence }]
      : []
  })
}
