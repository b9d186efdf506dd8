import { useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import type { FindingKind } from '../../../../schema/api/findings.ts'
import type { Finding } from '../../../../schema/api/reconciliation.ts'
import { type ActRequest, useAct } from '../../../components/support/acts/useAct.ts'
import { traceAddress } from '../../../components/support/addresses.ts'
import { CopyId } from '../../../components/support/CopyId.tsx'
import { ownerTitle, stakeText } from '../../../components/support/labels.ts'
import { Moment } from '../../../components/support/Moment.tsx'
import { useRowKeys } from '../../../components/support/useKeys.ts'
import { actWords } from '../../../content/support/acts.ts'
import { describeFinding, findingName } from '../../../content/support/findings.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { actOf, actsOf } from './findings.ts'

interface FindingsProps {
  findings: readonly Finding[]
  /** Null while all kinds are shown, which cannot be repaired in one step. */
  kind: FindingKind | null
  onRepaired: () => void
}

/** Each finding with the statements of both sides and its repair. */
export function Findings({ findings, kind, onRepaired }: FindingsProps) {
  const ask = useAct()
  const list = useRef<HTMLUListElement>(null)
  // Until the next comparison they are still in the list.
  const [repaired, setRepaired] = useState<ReadonlySet<string>>(new Set())
  const act = (request: ActRequest | null) => {
    if (!request) return
    const ids = request.targets.flatMap(({ finding_id }) => finding_id ?? [])
    const onDone = () => {
      setRepaired((before) => new Set([...before, ...ids]))
      onRepaired()
    }
    ask({ ...request, onDone })
  }
  useRowKeys(list, {
    r: (row) => {
      const finding = findings.find(({ id }) => id === row)
      if (finding) act(actOf(finding))
    },
  })
  // One by itself has a button of its own.
  const together = (kind ? actsOf(findings.filter(({ gone_at }) => gone_at === null)) : []).filter(
    ({ targets }) => targets.length > 1,
  )
  return (
    <>
      {kind && (
        <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2 text-sm">
          <p className="mr-auto font-medium">{findingName(kind)}</p>
          {together.map((request) => (
            <Button key={request.kind} variant="secondary" size="small" onClick={() => act(request)}>
              {actWords[request.kind].name} all {request.targets.length}
            </Button>
          ))}
        </div>
      )}
      <ul ref={list} className="divide-y divide-line text-sm">
        {findings.map((finding) => (
          <Row
            key={finding.id}
            finding={finding}
            isRepaired={repaired.has(finding.id)}
            onRepair={() => act(actOf(finding))}
          />
        ))}
      </ul>
    </>
  )
}

interface RowProps {
  finding: Finding
  isRepaired: boolean
  onRepair: () => void
}

function Row({ finding, isRepaired, onRepair }: RowProps) {
  const { owner, repair, object_id, first_seen_at, gone_at } = finding
  const { sentence, they_say, we_have, advice } = describeFinding(finding)
  const request = actOf(finding)
  const stake = stakeText(finding.money, finding.credits)
  return (
    <li className="relative px-4 py-3 hover:bg-sunken has-[[data-row]:focus-visible]:bg-hover">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <p className="font-medium [overflow-wrap:anywhere]">
            {owner ? (
              <Link
                to={traceAddress({ owner: owner.id })}
                data-row={finding.id}
                className="outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2"
              >
                {sentence}
              </Link>
            ) : (
              sentence
            )}
          </p>
          <p className="mt-0.5 flex flex-wrap items-center gap-x-2 text-faint text-xs">
            {owner && <span className="text-muted">{ownerTitle(owner)}</span>}
            {stake && <span className="font-medium text-ink">{stake}</span>}
            <span className="relative z-1 min-w-0">
              <CopyId id={object_id} />
            </span>
            <span>
              seen first <Moment at={first_seen_at} />
            </span>
          </p>
        </div>
        <span className="relative z-1 shrink-0">
          {gone_at ? (
            <Badge tone="positive">Gone</Badge>
          ) : isRepaired ? (
            <Badge tone="accent">Waiting for the comparison</Badge>
          ) : (
            <span className="flex flex-wrap items-center justify-end gap-2">
              {!repair && <Badge tone="caution">A person decides</Badge>}
              {request && (
                <Button variant="secondary" size="small" onClick={onRepair}>
                  {actWords[request.kind].name}
                  <span className="sr-only">: {sentence}</span>
                </Button>
              )}
            </span>
          )}
        </span>
      </div>
      <dl className="mt-2 grid gap-x-6 gap-y-1 text-xs @xl:grid-cols-2">
        <Side name="They say" text={they_say} />
        <Side name="We have" text={we_have} />
      </dl>
      <p className="mt-1.5 text-muted text-xs [overflow-wrap:anywhere]">{advice}</p>
    </li>
  )
}

function Side({ name, text }: { name: string; text: string }) {
  return (
    <div className="flex gap-2">
      <dt className="w-16 shrink-0 text-faint">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{text}</dd>
    </div>
  )
}
