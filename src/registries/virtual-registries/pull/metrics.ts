import { sql } from 'kysely'
import { Counter, Gauge } from 'prom-client'
import type { MetricsRegister } from '#platform/metrics.ts'
import type { Db } from '#platform/db/pool.ts'

/**
 * How a request was answered: from what is kept (`hit`, also after the upstream said that it holds: `revalidated`, or
 * although the upstream did not answer: `stale`), from an upstream (`miss`), or not.
 */
export type Result = 'hit' | 'miss' | 'revalidated' | 'stale' | 'absent' | 'failed'

export interface CacheMetrics {
  count(kind: 'manifest' | 'blob', result: Result): void
}

const REQUESTS = 'forgelet_virtual_registry_requests_total'

/** Milliseconds for which the sizes hold: they are counted over all rows. */
const FRESH = 60_000

/** Adds metrics of what virtual registries keep and serve. */
export function registerMetrics(metrics: MetricsRegister, db: Db): CacheMetrics {
  const counters: Counter<'kind' | 'result'>[] = []
  metrics.register((registry) => {
    // A second application on the same services counts where the first one does.
    const there = registry.getSingleMetric(REQUESTS)
    if (there instanceof Counter) {
      counters.push(there)
      return
    }
    counters.push(
      new Counter({
        name: REQUESTS,
        help: 'Manifests and blobs that clients of virtual registries asked for, by how they were answered',
        labelNames: ['kind', 'result'],
        registers: [registry],
      }),
    )
    let known = { entries: 0, bytes: 0, until: 0 }
    const sizes = new Gauge({
      name: 'forgelet_virtual_registry_cache',
      help: 'What virtual registries keep: entries, and bytes of the files behind them, each once',
      labelNames: ['unit'],
      registers: [registry],
      collect: async () => {
        if (known.until < Date.now()) known = { ...(await sizeOf(db)), until: Date.now() + FRESH }
        sizes.set({ unit: 'entries' }, known.entries)
        sizes.set({ unit: 'bytes' }, known.bytes)
      },
    })
  })
  return { count: (kind, result) => counters.forEach((counter) => counter.inc({ kind, result })) }
}

/** While the database is away, nothing is known. */
async function sizeOf(db: Db): Promise<{ entries: number; bytes: number }> {
  try {
    const { rows } = await sql<{ entries: number; bytes: number }>`
      select (select count(*)::bigint from container_cache_entries) as entries,
        (select coalesce(sum(size), 0)::bigint from files
          where id in (select file_id from container_cache_entries)) as bytes`.execute(db)
    return rows[0] ?? { entries: 0, bytes: 0 }
  } catch {
    return { entries: 0, bytes: 0 }
  }
}
