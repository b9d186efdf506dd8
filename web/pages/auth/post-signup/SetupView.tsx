import { CircleAlert, CircleCheck } from 'lucide-react'
import { Link } from 'react-router-dom'
import { StatusView } from '../../../components/StatusView.tsx'
import { Button } from '../../../ui/Button.tsx'

type SetupViewProps =
  | { state: 'loading' | 'processing' }
  | { state: 'success'; text: string }
  | { state: 'error'; detail: string; onRetry: () => void }

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
    case 'error':
      return (
        <StatusView
          tone="critical"
          Icon={CircleAlert}
          title="Something went wrong"
          text="We encountered an error while setting up your account."
          actions={
            <>
              <Button onClick={props.onRetry}>Try Again</Button>
              <Button asChild variant="secondary">
                <Link to="/dashboard">Go to Dashboard</Link>
              </Button>
            </>
          }
        >
          <p className="rounded-control bg-sunken px-4 py-3 text-muted text-sm">{props.detail}</p>
        </StatusView>
      )
  }
}
