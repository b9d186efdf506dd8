import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
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
import type { Tracing } from './span.ts'

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER } as const

/**
 * Spans by OpenTelemetry, sent in batches over OTLP/HTTP as JSON. A collector that is away costs spans and
 * nothing else: they are dropped when the buffer is full, and `onError` is told of each batch that did not
 * arrive.
 */
export function openTracing(options: {
  readonly process: 'server' | 'worker'
  /** Of the collector, without `/v1/traces`. */
  readonly endpoint: string
  /** Of the traces that begin here, 0 to 1; one that began elsewhere is kept when it was there. */
  readonly share: number
  readonly onError: (error: unknown) => void
}): Tracing {
  setGlobalErrorHandler(options.onError)
  const propagator = new W3CTraceContextPropagator()
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(propagator)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `tidemark-${options.process}` }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.share) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${options.endpoint.replace(/\/$/, '')}/v1/traces` }),
      }),
    ],
  })
  const tracer = provider.getTracer('tidemark')

  return {
    inSpan(name, { kind, attributes, traceparent }, work) {
      const parent = traceparent
        ? propagation.extract(ROOT_CONTEXT, { traceparent })
        : kind
          ? ROOT_CONTEXT
          : context.active()
      const settings = { kind: kind ? kinds[kind] : SpanKind.INTERNAL, attributes: attributes?.() ?? {} }
      return tracer.startActiveSpan(name, settings, parent, async (span) => {
        try {
          return await work()
        } catch (error) {
          // The text of an error may hold what a person typed; the log has it.
          const type = error instanceof Error ? error.name : typeof error
          span.setStatus({ code: SpanStatusCode.ERROR, message: type })
          span.setAttribute('error.type', type)
          throw error
        } finally {
          span.end()
        }
      })
    },
    note(attributes, name) {
      const span = trace.getActiveSpan()?.setAttributes(attributes)
      if (name) span?.updateName(name)
    },
    current() {
      const ids = trace.getActiveSpan()?.spanContext()
      if (!ids) return undefined
      const carrier: { traceparent?: string } = {}
      propagation.inject(context.active(), carrier)
      return { trace_id: ids.traceId, span_id: ids.spanId, traceparent: carrier.traceparent ?? '' }
    },
    async close() {
      await provider.shutdown().catch(options.onError)
      context.disable()
      propagation.disable()
    },
  }
}
