import { type HrTime, ValueType } from '@opentelemetry/api'
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics'
import type { MetricValues } from './telemetry.ts'

type Metric = MetricValues[number]
type Value = Metric['values'][number] & { readonly metricName?: string }
type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>

/**
 * Turns what Prometheus would read into what OpenTelemetry sends: the same names, labels and numbers.
 * @param since when counting began, in milliseconds.
 */
export function metricsOf(metrics: MetricValues, since: number, now: number): MetricData[] {
  const times = { startTime: hrTime(since), endTime: hrTime(now) }
  return metrics.flatMap((metric) => {
    const made = metricOf(metric, times)
    return made.dataPoints.length > 0 ? [made] : []
  })
}

const hrTime = (milliseconds: number): HrTime => [
  Math.floor(milliseconds / 1000),
  Math.round((milliseconds % 1000) * 1e6),
]

function metricOf({ name, help, type, values }: Metric, times: Times): MetricData {
  const descriptor = { name, description: help, unit: '', valueType: ValueType.DOUBLE }
  const shared = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE }
  // At run time the type is the text of Prometheus; prom-client declares it as an enumeration of numbers.
  switch (String(type)) {
    case 'histogram':
      return { ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(values, times) }
    case 'counter':
      return {
        ...shared,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints: points(values, times),
      }
    default:
      return { ...shared, dataPointType: DataPointType.GAUGE, dataPoints: points(values, times) }
  }
}

const points = (values: readonly Value[], times: Times): DataPoint<number>[] =>
  values.map(({ value, labels }) => ({ ...times, attributes: { ...labels }, value }))

/** Prometheus lists the buckets of a histogram one by one, each with all that is below it. */
function histograms(values: readonly Value[], times: Times): DataPoint<Histogram>[] {
  const series = new Map<
    string,
    { labels: Value['labels']; bounds: [number, number][]; sum: number; count: number }
  >()
  for (const { metricName = '', value, labels } of values) {
    const { le, ...rest } = labels
    const key = JSON.stringify(rest, Object.keys(rest).toSorted())
    const one = series.get(key) ?? { labels: rest, bounds: [], sum: 0, count: 0 }
    series.set(key, one)
    if (metricName.endsWith('_sum')) one.sum = value
    else if (metricName.endsWith('_count')) one.count = value
    else if (le !== undefined && le !== '+Inf') one.bounds.push([Number(le), value])
  }
  return [...series.values()].map(({ labels, bounds, sum, count }) => {
    const upTo = [...bounds.map(([, number]) => number), count]
    return {
      ...times,
      attributes: { ...labels },
      value: {
        buckets: {
          boundaries: bounds.map(([bound]) => bound),
          counts: upTo.map((number, index) => number - (upTo[index - 1] ?? 0)),
        },
        sum,
        count,
      },
    }
  })
}
