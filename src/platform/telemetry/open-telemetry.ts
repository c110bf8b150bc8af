import { setTimeout as pause } from 'node:timers/promises'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import type { Resource } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Log } from '#platform/context.ts'
import { packageVersion } from '#platform/package.ts'
import { metricsExporter, spanExporter } from './exporters.ts'
import { metricsOf } from './metric-data.ts'
import { samplerOf } from './sampler.ts'
import { SpanTracer } from './span-tracer.ts'
import type { MetricValues, Telemetry } from './telemetry.ts'
import type { Tracer } from './tracer.ts'
import type { TelemetryOptions } from './variables.ts'

/** Milliseconds that the last export may take. Nobody waits longer for a collector that is down. */
const LAST_EXPORT = 3_000
const SCOPE = 'forgelet'

/** Exports by the libraries of OpenTelemetry. */
export class OpenTelemetry implements Telemetry {
  readonly tracer: Tracer | undefined
  readonly #options: TelemetryOptions
  readonly #log: Log
  readonly #resource = resource()
  readonly #closing: (() => Promise<void>)[] = []

  static async open(options: TelemetryOptions, log: Log): Promise<OpenTelemetry> {
    const exporter = options.traces && (await spanExporter(options.traces, log))
    return new OpenTelemetry(options, log, exporter)
  }

  private constructor(
    options: TelemetryOptions,
    log: Log,
    exporter: Awaited<ReturnType<typeof spanExporter>> | undefined,
  ) {
    this.#options = options
    this.#log = log
    if (exporter === undefined) return
    const processor = new BatchSpanProcessor({
      exporter,
      maxQueueSize: options.queue,
      maxExportBatchSize: options.batch,
      scheduledDelayMillis: options.delay,
    })
    const provider = new TracerProvider({
      resource: this.#resource,
      sampler: samplerOf(options),
      spanProcessors: [processor],
    })
    this.tracer = new SpanTracer(provider.getTracer(SCOPE, packageVersion()))
    this.#closing.push(() => provider.shutdown())
  }

  exportMetrics(read: () => Promise<MetricValues>): void {
    const { metrics, interval } = this.#options
    if (metrics === undefined) return
    const opened = this.#startMetrics(read, metrics, interval)
    opened.catch((err: unknown) => this.#log.warn({ err }, 'metrics are not exported'))
    this.#closing.push(async () => (await opened).shutdown())
  }

  async #startMetrics(
    read: () => Promise<MetricValues>,
    protocol: NonNullable<TelemetryOptions['metrics']>,
    interval: number,
  ): Promise<MeterProvider> {
    const since = Date.now()
    const scope = { name: SCOPE, version: packageVersion() }
    const producer = {
      collect: async () => {
        const metrics = metricsOf(await read(), since, Date.now())
        return {
          resourceMetrics: { resource: this.#resource, scopeMetrics: [{ scope, metrics }] },
          errors: [],
        }
      },
    }
    const reader = new PeriodicExportingMetricReader({
      exporter: await metricsExporter(protocol, this.#log),
      exportIntervalMillis: interval,
      exportTimeoutMillis: Math.min(interval, 10_000),
      metricProducers: [producer],
    })
    return new MeterProvider({ resource: this.#resource, readers: [reader] })
  }

  async close(): Promise<void> {
    const ended = Promise.allSettled(this.#closing.map((close) => close()))
    await Promise.race([ended, pause(LAST_EXPORT, undefined, { ref: false })])
  }
}

/** What stands for this server: `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` come first. */
function resource(): Resource {
  const own = resourceFromAttributes({
    'service.name': 'forgelet',
    'service.version': packageVersion(),
    'process.pid': process.pid,
  })
  return own.merge(detectResources({ detectors: [envDetector] }))
}
