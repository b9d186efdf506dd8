import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'

/**
 * Sends spans in batches over OTLP/HTTP as JSON. A collector that is away costs spans and nothing else: they
 * are dropped when the buffer is full, and `onError` is told of each batch that did not arrive.
 */
export function openTracing(options: {
  readonly process: 'server' | 'worker'
  /** Of the collector, without `/v1/traces`. */
  readonly endpoint: string
  /** Of the traces that begin here, 0 to 1; one that began elsewhere is kept when it was there. */
  readonly share: number
  readonly onError: (error: unknown) => void
}): { close(): Promise<void> } {
  setGlobalErrorHandler(options.onError)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `tidemark-${options.process}` }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.share) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${options.endpoint.replace(/\/$/, '')}/v1/traces` }),
      }),
    ],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  return { close: () => provider.shutdown().catch(options.onError) }
}
