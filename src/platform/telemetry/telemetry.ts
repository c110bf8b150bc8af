import type { Registry } from 'prom-client'
import type { Log } from '#platform/context.ts'
import type { TelemetryOptions } from './variables.ts'
import type { Tracer } from './tracer.ts'

/** The values of metrics now, as the page for Prometheus has them. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** What is exported to a collector of OpenTelemetry. */
export interface Telemetry {
  /** Undefined where no traces are wanted. */
  readonly tracer: Tracer | undefined
  /** Exports metrics at intervals, and at the end. */
  exportMetrics(read: () => Promise<MetricValues>): void
  /** Sends what waits, within a bound. */
  close(): Promise<void>
}

/** Opens what was asked for. Its libraries are loaded only here. */
export async function openTelemetry(options: TelemetryOptions, log: Log): Promise<Telemetry> {
  for (const problem of options.problems) log.warn({}, problem)
  const { OpenTelemetry } = await import('./open-telemetry.ts')
  return OpenTelemetry.open(options, log)
}
