import { Counter, Gauge } from 'prom-client'
import type { MetricsRegister } from '#platform/metrics.ts'

/** What became of what a door asked. */
export type DoorOutcome = 'session served' | 'key found' | 'key unknown' | 'refused'

export interface SshMetrics {
  /** Sessions of git that are being served. */
  readonly sessions: Gauge
  count(outcome: DoorOutcome): void
}

const SESSIONS = 'forgelet_ssh_sessions'
const REQUESTS = 'forgelet_ssh_requests_total'

/** Adds metrics of SSH. All doors of a process count in the same ones. */
export const registerSshMetrics = (metrics: MetricsRegister): SshMetrics =>
  metrics.register((registry) => {
    const registers = [registry]
    const sessions = registry.getSingleMetric(SESSIONS)
    const requests = registry.getSingleMetric(REQUESTS)
    const counter =
      requests instanceof Counter
        ? requests
        : new Counter({
            name: REQUESTS,
            help: 'What doors of SSH asked for: sessions, keys, and to count a client that had none',
            labelNames: ['outcome'],
            registers,
          })
    return {
      sessions:
        sessions instanceof Gauge
          ? sessions
          : new Gauge({ name: SESSIONS, help: 'Sessions of git over SSH that are being served', registers }),
      count: (outcome) => counter.inc({ outcome }),
    }
  })
