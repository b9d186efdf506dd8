import {
  type Attributes,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'

export interface TracingSettings {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  readonly OTEL_TRACES_SAMPLER_ARG: number
}

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER } as const
let isCollecting = false

/**
 * Begins to collect spans where an endpoint is configured; without one nothing of OpenTelemetry's SDK is
 * loaded. The caller closes what is returned last of all, so that the spans of its shutdown are sent too.
 */
export async function startTracing(
  env: TracingSettings,
  options: { readonly process: 'server' | 'worker'; readonly onError: (error: unknown) => void },
): Promise<{ close(): Promise<void> }> {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!endpoint) return { close: async () => undefined }
  const { openTracing } = await import('./open-telemetry.ts')
  const opened = openTracing({ ...options, endpoint, share: env.OTEL_TRACES_SAMPLER_ARG })
  isCollecting = true
  return opened
}

/**
 * Does the work inside a span of this name; a failure of the work is noted in it and thrown. Costs nothing
 * where spans are not collected.
 */
export function inSpan<T>(
  name: string,
  options: {
    /** What caused it: `server` for a request, `consumer` for a job; left out, it is a part of its caller. */
    readonly kind?: keyof typeof kinds
    /**
     * Ids, kinds and counts, asked for only where spans are collected. Never an e-mail address, a name or a
     * payload: traces are kept elsewhere, by others.
     */
    readonly attributes?: () => Attributes
    /** The W3C header of a span in another process, of which this one is a part. */
    readonly traceparent?: string | undefined
  },
  work: () => Promise<T>,
): Promise<T> {
  if (!isCollecting) return work()
  const { kind, attributes, traceparent } = options
  const caller = kind ? ROOT_CONTEXT : context.active()
  const parent = traceparent ? propagation.extract(ROOT_CONTEXT, { traceparent }) : caller
  const settings = { kind: kind ? kinds[kind] : SpanKind.INTERNAL, attributes: attributes?.() ?? {} }
  return trace.getTracer('tidemark').startActiveSpan(name, settings, parent, async (span) => {
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
}

/** Adds to the span in which the caller runs; `name` is a better one than it began with. */
export function noteInSpan(attributes: Attributes, name?: string): void {
  const span = trace.getActiveSpan()?.setAttributes(attributes)
  if (name) span?.updateName(name)
}

/**
 * The span in which the caller runs, and what another process is given so that its spans belong to this one;
 * undefined where spans are not collected.
 */
export function currentSpan() {
  const ids = trace.getActiveSpan()?.spanContext()
  if (!ids) return undefined
  const carrier: { traceparent?: string } = {}
  propagation.inject(context.active(), carrier)
  return { trace_id: ids.traceId, span_id: ids.spanId, traceparent: carrier.traceparent ?? '' }
}
