import { Counter } from 'prom-client'
import type { MetricsRegister } from '#platform/metrics.ts'

/** What became of an item that a program sent. */
export type ItemOutcome = 'kept' | 'dropped' | 'limited'

export interface CollectorMetrics {
  count(type: string, outcome: ItemOutcome): void
}

const NAME = 'forgelet_error_tracking_items_total'

/** The types that SDKs send. All others count as one, because anybody may invent some. */
const TYPES = new Set([
  'event',
  'transaction',
  'session',
  'sessions',
  'attachment',
  'profile',
  'profile_chunk',
  'check_in',
  'replay_event',
  'replay_recording',
  'replay_video',
  'client_report',
  'user_report',
  'feedback',
  'span',
  'log',
  'trace_metric',
  'statsd',
  'security',
  'raw_security',
])

/** Adds a metric of what programs report. */
export function registerMetrics(metrics: MetricsRegister): CollectorMetrics {
  const counters: Counter<'type' | 'outcome'>[] = []
  metrics.register((registry) => {
    // A second application on the same services counts where the first one does.
    const there = registry.getSingleMetric(NAME)
    counters.push(
      there instanceof Counter
        ? there
        : new Counter({
            name: NAME,
            help: 'What programs sent to error tracking, by what became of it: only events are kept',
            labelNames: ['type', 'outcome'],
            registers: [registry],
          }),
    )
  })
  return {
    count(type, outcome) {
      for (const counter of counters) counter.inc({ type: TYPES.has(type) ? type : 'other', outcome })
    },
  }
}
