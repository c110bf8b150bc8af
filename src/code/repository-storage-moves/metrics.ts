import { Gauge } from 'prom-client'
import type { MetricsRegister } from '#platform/metrics.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import { countUnfinished, type UnfinishedMoves } from './status.ts'

const MOVES = 'forgelet_repository_storage_moves'

/** Adds metrics of storages and of moves between them. Each scrape reads the moves that are not finished. */
export function registerMoveMetrics(
  metrics: MetricsRegister,
  { db, repositories }: { readonly db: Db; readonly repositories: Repositories },
): void {
  metrics.register((registry) => {
    // A second application on the same services has them already.
    if (registry.getSingleMetric(MOVES) !== undefined) return
    const registers = [registry]
    // Both read them for one scrape, at the same time.
    let reading: Promise<readonly UnfinishedMoves[]> | undefined
    const unfinished = () =>
      (reading ??= countUnfinished(db)
        .catch(() => [])
        .finally(() => (reading = undefined)))
    const bytes = new Gauge({
      name: 'forgelet_repository_storage_move_bytes',
      help: 'Bytes of the repositories that move now, and how many of them are copied',
      labelNames: ['of'],
      registers,
      async collect() {
        bytes.reset()
        const started = (await unfinished()).find(({ state }) => state === 'started')
        if (started === undefined) return
        bytes.set({ of: 'all' }, started.total)
        bytes.set({ of: 'copied' }, started.copied)
      },
    })
    const moves = new Gauge({
      name: MOVES,
      help: 'Moves of repositories between storages that are not finished, by state',
      labelNames: ['state'],
      registers,
      async collect() {
        moves.reset()
        for (const { state, count } of await unfinished()) moves.set({ state }, count)
      },
    })
    const usable = new Gauge({
      name: 'forgelet_repository_storage_usable',
      help: 'Whether this process can use a storage of repositories: 1 or 0',
      labelNames: ['storage'],
      registers,
      async collect() {
        for (const { name, problem } of await repositories.storages.states()) {
          usable.set({ storage: name }, problem === undefined ? 1 : 0)
        }
      },
    })
  })
}
