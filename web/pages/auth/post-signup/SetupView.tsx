import { CircleAlert, CircleCheck } from 'lucide-react'
import type { FailureNotice } from '../../../api/failure.ts'
import { RouteButton } from '../../../components/RouteButton.tsx'
import { StatusView } from '../../../components/StatusView.tsx'
import { Button } from '../../../ui/Button.tsx'

type SetupViewProps =
  | { state: 'loading' | 'processing' }
  | { state: 'success'; text: string }
  | { state: 'error'; notice: FailureNotice; onRetry: () => void; repair?: Repair | null }

/** An order that can be taken, where trying the same one again cannot help. */
export interface Repair {
  readonly text: string
  readonly href: string
}

export function SetupView(props: SetupViewProps) {
  switch (props.state) {
    case 'loading':
      return <StatusView tone="busy" title="Loading..." text="One moment, please." />
    case 'processing':
      return (
        <StatusView tone="busy" title="Setting up your account..." text="This usually takes a few seconds." />
      )
    case 'success':
      return <StatusView tone="positive" Icon={CircleCheck} title="You’re all set!" text={props.text} />
    case 'error': {
      const { text, advice, reference } = props.notice
      return (
        <StatusView
          tone="critical"
          Icon={CircleAlert}
          title="Something went wrong"
          text="We encountered an error while setting up your account."
          actions={
            <>
              <Button onClick={props.onRetry}>Try Again</Button>
              <RouteButton to="/dashboard" variant="secondary">
                Go to Dashboard
              </RouteButton>
            </>
          }
        >
          <div className="rounded-control bg-sunken px-4 py-3 text-muted text-sm">
            <p>{text}</p>
            {advice && <p className="mt-1">{advice}</p>}
            {props.repair && (
              <p className="mt-1">
                <a href={props.repair.href} className="text-accent-text underline underline-offset-4">
                  {props.repair.text}
                </a>
              </p>
            )}
            {reference && <p className="mt-1 font-mono text-faint text-xs">Reference {reference}</p>}
          </div>
          <p className="text-muted text-sm">
            You have not been charged. Trying again cannot charge you twice.
          </p>
        </StatusView>
      )
    }
  }
}
