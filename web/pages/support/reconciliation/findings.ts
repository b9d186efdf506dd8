import type { Finding } from '../../../../schema/api/reconciliation.ts'
import { maximumTargets } from '../../../../schema/api/support-acts.ts'
import type { ActRequest } from '../../../components/support/acts/useAct.ts'
import { describeFinding } from '../../../content/support/findings.ts'

/**
 * The act that repairs the finding, in the form of the dialog. Where a person has to decide, it is an
 * adjustment of the owner's credits, with the finding as its reason; null when the owner is unknown.
 */
export function actOf(finding: Finding): ActRequest | null {
  const { id, repair, owner } = finding
  const subject = describeFinding(finding).sentence
  if (!repair)
    return (
      owner && {
        kind: 'adjust',
        targets: [{ kind: owner.kind, id: owner.id, finding_id: id }],
        subject,
      }
    )
  return {
    kind: repair.kind,
    targets: [{ ...repair.target, finding_id: id }],
    subject,
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
      ? [
          {
            kind,
            targets: [...targets.values()].slice(0, maximumTargets),
            subject: describeFinding(first).sentence,
          },
        ]
      : []
  })
}
