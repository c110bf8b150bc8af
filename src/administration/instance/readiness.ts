import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { latestMigration } from '#platform/db/migrate.ts'
import type { Db } from '#platform/db/pool.ts'

/** @returns the problem in a few words; undefined when the part works. */
export type Check = () => string | undefined | Promise<string | undefined>

/** The status of one part, in the form that probes of this API's clients read. */
export interface PartStatus {
  /** Degraded: the part does not work, and the process runs without it. */
  readonly status: 'ok' | 'degraded' | 'failed'
  readonly message?: string
}

/** Milliseconds after which a part that does not answer counts as failed. */
const PATIENCE = 2_000

/** The parts that must work before this process receives requests. Each part adds itself when it starts. */
export class Readiness {
  readonly #checks = new Map<string, { readonly check: Check; readonly optional: () => boolean }>()

  /** @param optional whether the process can run without the part; asked when it does not work. */
  add(part: string, check: Check, { optional = false }: { optional?: boolean | (() => boolean) } = {}): void {
    this.#checks.set(part, { check, optional: typeof optional === 'boolean' ? () => optional : optional })
  }

  /** Checks the status of all parts at the same time. */
  async parts(): Promise<ReadonlyMap<string, PartStatus>> {
    const asked = [...this.#checks].map(
      async ([part, { check, optional }]): Promise<[string, PartStatus]> => {
        const message = await problemOf(check)
        return [
          part,
          message === undefined ? { status: 'ok' } : { status: optional() ? 'degraded' : 'failed', message },
        ]
      },
    )
    return new Map(await Promise.all(asked))
  }
}

async function problemOf(check: Check): Promise<string | undefined> {
  const late = new AbortController()
  try {
    const giveUp = pause(PATIENCE, 'gives no answer', { signal: late.signal })
    return await Promise.race([check(), giveUp])
  } catch {
    // The cause may name hosts and accounts, so only the log of the code that needed the part has it.
    return 'is not reachable'
  } finally {
    late.abort()
  }
}

/** Checks that the database answers and has this program's schema, or a later one (nodes are updated in turn). */
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
