const protocols = ['http/protobuf', 'http/json'] as const
type Protocol = (typeof protocols)[number]

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type SamplerName = (typeof samplers)[number]

/** What the standard variables of OpenTelemetry ask for. The exporters read the rest of them: addresses, headers … */
export interface TelemetryOptions {
  readonly traces: Protocol | undefined
  readonly metrics: Protocol | undefined
  readonly sampler: SamplerName
  /** The part of traces that samplers of ratios keep, from 0 to 1. */
  readonly ratio: number
  /** How many spans wait at most, how many are sent at once, and the milliseconds between. */
  readonly queue: number
  readonly batch: number
  readonly delay: number
  /** Milliseconds between two exports of metrics. */
  readonly interval: number
  /** What is not understood, and is left out. A server starts all the same. */
  readonly problems: readonly string[]
}

/** Reads the standard variables. @returns undefined when they ask for nothing, as they do unless an endpoint is set */
export function readTelemetry(environment: Readonly<NodeJS.Dict<string>>): TelemetryOptions | undefined {
  const text = (name: string) => environment[name]?.trim() || undefined
  if (text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  const problems: string[] = []
  const protocol = (signal: 'TRACES' | 'METRICS'): Protocol | undefined => {
    const endpoint = text(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) ?? text('OTEL_EXPORTER_OTLP_ENDPOINT')
    if (endpoint === undefined) return undefined
    const exporter = text(`OTEL_${signal}_EXPORTER`) ?? 'otlp'
    if (exporter === 'none') return undefined
    const off = `no ${signal.toLowerCase()} are exported`
    if (exporter !== 'otlp') {
      problems.push(`OTEL_${signal}_EXPORTER: only otlp and none are known, so ${off}`)
      return undefined
    }
    if (!URL.canParse(endpoint)) {
      problems.push(`the OTLP endpoint of ${signal.toLowerCase()} is no URL, so ${off}`)
      return undefined
    }
    const wanted =
      text(`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) ?? text('OTEL_EXPORTER_OTLP_PROTOCOL') ?? protocols[0]
    const known = protocols.find((name) => name === wanted)
    if (known === undefined)
      problems.push(`OTEL_EXPORTER_OTLP_PROTOCOL: only ${protocols.join(' and ')} are known, so ${off}`)
    return known
  }
  const count = (name: string, unset: number): number => {
    const given = text(name)
    if (given === undefined) return unset
    if (/^[1-9]\d{0,8}$/.test(given)) return Number(given)
    problems.push(`${name}: it needs a whole number from 1, so it is ${unset}`)
    return unset
  }
  const traces = protocol('TRACES')
  const metrics = protocol('METRICS')
  const wanted = text('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  const sampler = samplers.find((name) => name === wanted)
  if (sampler === undefined) problems.push(`OTEL_TRACES_SAMPLER: only ${samplers.join(', ')} are known`)
  const ratio = Number(text('OTEL_TRACES_SAMPLER_ARG') ?? 1)
  const isRatio = ratio >= 0 && ratio <= 1
  if (!isRatio) problems.push('OTEL_TRACES_SAMPLER_ARG: it needs a number from 0 to 1, so it is 1')
  if (traces === undefined && metrics === undefined && problems.length === 0) return undefined
  const queue = count('OTEL_BSP_MAX_QUEUE_SIZE', 2048)
  return {
    traces,
    metrics,
    sampler: sampler ?? 'parentbased_always_on',
    ratio: isRatio ? ratio : 1,
    queue,
    batch: Math.min(count('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512), queue),
    delay: count('OTEL_BSP_SCHEDULE_DELAY', 5_000),
    interval: count('OTEL_METRIC_EXPORT_INTERVAL', 60_000),
    problems,
  }
}
