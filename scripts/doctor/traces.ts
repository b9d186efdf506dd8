import { deliverNothing } from '../../schema/tracing/open-telemetry.ts'
import { explainError } from '../explain-error.ts'
import type { Configuration } from './configuration.ts'
import { type Finding, ok, warning } from './finding.ts'

/** Whether a collector takes traces at OTEL_EXPORTER_OTLP_ENDPOINT, where it is set. Sends no span. */
export async function examineTraces({ env }: Configuration): Promise<Finding[]> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = env
  if (endpoint === undefined) return []
  try {
    await deliverNothing(endpoint)
    return [ok('traces', `${endpoint} takes them`)]
  } catch (error) {
    return [
      warning('traces', {
        text: `${endpoint} does not take them: ${explainError(error)}`,
        means: 'Spans are lost, and nothing else.',
        repair:
          'Set OTEL_EXPORTER_OTLP_ENDPOINT to the collector’s address for OTLP over HTTP, http://… or https://…, without /v1/traces, or leave it out.',
      }),
    ]
  }
}
