import type { Registry } from 'prom-client'

/** Where features register their metrics. */
export interface MetricsRegister {
  /** @returns what `add` makes */
  register<T>(add: (registry: Registry) => T): T
}
