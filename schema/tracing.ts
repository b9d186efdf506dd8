import type { Attributes } from '@opentelemetry/api'
import type { SpanIds, SpanOptions, Tracing } from './tracing/span.ts'

/**
 * One for the process, as in OpenTelemetry itself: spans are made deep inside transactions, and handing this
 * through all of them would put it into every signature for the sake of traces alone.
 */
let tracing: Tracing | undefined

/** Where spans go, from the environment. */
export interface TracingSettings {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  readonly OTEL_TRACES_SAMPLER_ARG: number
}

/**
 * Begins to collect spans where an endpoint is configured; without one nothing of OpenTelemetry is loaded.
 * The caller closes what is returned last of all, so that the spans of its shutdown are sent too.
 */
export async function startTracing(
  env: TracingSettings,
  options: { readonly process: 'server' | 'worker'; readonly onError: (error: unknown) => void },
): Promise<{ close(): Promise<void> }> {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!endpoint) return { close: async () => undefined }
  const { openTracing } = await import('./tracing/open-telemetry.ts')
  const started = openTracing({ ...options, endpoint, share: env.OTEL_TRACES_SAMPLER_ARG })
  tracing = started
  return {
    async close() {
      tracing = undefined
      await started.close()
    },
  }
}

/**
 * Does the work inside a span of this name; a failure of the work is noted in it and thrown. Costs nothing
 * where spans are not collected.
 */
export function inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  return tracing ? tracing.inSpan(name, options, work) : work()
}

/** Adds to the span in which the caller runs; `name` is a better one than it began with. */
export function noteInSpan(attributes: Attributes, name?: string): void {
  tracing?.note(attributes, name)
}

/** The span in which the caller runs; undefined where spans are not collected. */
export function currentSpan(): SpanIds | undefined {
  return tracing?.current()
}
