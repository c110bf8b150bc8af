import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { latestMigration } from '#db/migrate.ts'
import type { Db } from '#db/pool.ts'

/** @returns what is wrong, in a few words; undefined when the part works. */
export type Check = () => string | undefined | Promise<string | undefined>

/** How one part stands, in the form that probes of this API's clients read. */
export interface PartStatus {
  readonly status: 'ok' | 'failed'
  readonly message?: string
}

/** Milliseconds after which a part that gives no answer counts as failed. */
const PATIENCE = 2_000

/** The parts that must work before this process may be sent requests: each adds itself when it starts. */
export class Readiness {
  readonly #checks = new Map<string, Check>()

  add(part: string, check: Check): void {
    this.#checks.set(part, check)
  }

  /** How each part stands now; all are asked at the same time. */
  async parts(): Promise<ReadonlyMap<string, PartStatus>> {
    const asked = [...this.#checks].map(async ([part, check]) => [part, await statusOf(check)] as const)
    return new Map(await Promise.all(asked))
  }
}

async function statusOf(check: Check): Promise<PartStatus> {
  const late = new AbortController()
  try {
    const giveUp = pause(PATIENCE, 'gives no answer', { signal: late.signal })
    const problem = await Promise.race([check(), giveUp])
    return problem === undefined ? { status: 'ok' } : { status: 'failed', message: problem }
  } catch {
    // The cause may name hosts and accounts; it is in the log of whoever needed the part.
    return { status: 'failed', message: 'is not reachable' }
  } finally {
    late.abort()
  }
}

/** Whether the database answers and has this program's schema, or a later one (nodes are updated in turn). */
export function databaseReady(db: Db): Check {
  let known: number | undefined
  return async () => {
    known ??= await latestMigration()
    const { rows } = await sql<{
      number: number | null
    }>`select max(number) as number from migrations`.execute(db)
    const current = rows[0]?.number ?? 0
    return current < known ? `is at migration ${current} of ${known}` : undefined
  }
}
