import type { Registry } from 'prom-client'
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
