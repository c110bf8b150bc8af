import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Log } from '#platform/context.ts'
import type { TelemetryOptions } from './variables.ts'

type Protocol = NonNullable<TelemetryOptions['traces']>

/** Sends spans to the collector that the standard variables name. */
export async function spanExporter(protocol: Protocol, log: Log): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await (protocol === 'http/json'
    ? import('@opentelemetry/exporter-trace-otlp-http')
    : import('@opentelemetry/exporter-trace-otlp-proto'))
  const exporter: SpanExporter = new OTLPTraceExporter()
  return telling(exporter, 'traces', log)
}

/** Sends metrics there. */
export async function metricsExporter(protocol: Protocol, log: Log): Promise<PushMetricExporter> {
  const { OTLPMetricExporter } = await (protocol === 'http/json'
    ? import('@opentelemetry/exporter-metrics-otlp-http')
    : import('@opentelemetry/exporter-metrics-otlp-proto'))
  const exporter: PushMetricExporter = new OTLPMetricExporter()
  return telling(exporter, 'metrics', log)
}

interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void
}

/** Makes an exporter log when it begins to fail and when it works again, instead of each time or never. */
function telling<Items, E extends Exporter<Items>>(exporter: E & Exporter<Items>, what: string, log: Log): E {
  const send = exporter.export.bind(exporter)
  let failing = false
  exporter.export = (items, done) => {
    send(items, (result) => {
      const failed = result.code !== ExportResultCode.SUCCESS
      if (failed && !failing) log.warn({ err: result.error }, `${what} cannot be exported: some are lost`)
      if (!failed && failing) log.info({}, `${what} are exported again`)
      failing = failed
      done(result)
    })
  }
  return exporter
}
