import { sql } from 'kysely'
import { onlyOne } from '#platform/sequences.ts'
import type { World } from '#test/world.ts'

interface Killed {
  readonly task: string
  readonly error?: string
  readonly payload?: object
}

/** Adds a job that is out of tries. @returns its id */
export const killJob = (w: World, { task, error = 'It failed', payload = {} }: Killed): Promise<number> =>
  w.write(async ({ db }) => {
    const { rows } = await sql<{ id: number }>`
      select id from graphile_worker.add_job(${task}, ${JSON.stringify(payload)}::json)`.execute(db)
    const { id } = onlyOne(rows)
    await sql`select graphile_worker.permanently_fail_jobs(array[${id}]::bigint[], ${error})`.execute(db)
    return id
  })
