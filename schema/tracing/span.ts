import type { Attributes } from '@opentelemetry/api'

export interface SpanOptions {
  /** What caused it: `server` for a request, `consumer` for a job; left out, it is a part of its caller. */
  readonly kind?: 'server' | 'consumer'
  /**
   * Ids, kinds and counts, asked for only where spans are collected. Never an e-mail address, a name or a
   * payload: traces are kept elsewhere, by others.
   */
  readonly attributes?: () => Attributes
  /** The W3C header of a span in another process, of which this one is a part. */
  readonly traceparent?: string | undefined
}

/** What a process does with spans where they are collected; see tracing/open-telemetry.ts. */
export interface Tracing {
  inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T>
  note(attributes: Attributes, name?: string): void
  current(): SpanIds | undefined
  close(): Promise<void>
}

export interface SpanIds {
  readonly trace_id: string
  readonly span_id: string
  /** What another process is given so that its spans belong to this one. */
  readonly traceparent: string
}
