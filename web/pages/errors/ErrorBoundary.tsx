import { Component, type ReactNode } from 'react'
import { AuthenticationErrorScreen } from './ErrorScreen.tsx'

interface ErrorBoundaryProps {
  children: ReactNode
}

/** The last net, for what breaks outside of the router's own error screen. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError() {
    return { broken: true }
  }

  override render() {
    return this.state.broken ? <AuthenticationErrorScreen /> : this.props.children
  }
}
