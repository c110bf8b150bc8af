import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, expect, test, vi } from 'vitest'
import { openDb, openPool } from '#db/pool.ts'
import { jobContext } from '#jobs/context.ts'
import { LeaseHeld } from '#jobs/lease.ts'
import type { JobContext } from '#jobs/task.ts'
import { openWorld } from '../../test/world.ts'
import { removeSubtree } from './remove-subtree.ts'
import { lockNode } from './lock.ts'
import { hideSubtree } from './tree.ts'

/** A server of its own, which would slow others down and lets people write as many notes as they like. */
const w = await openWorld()
await w.root.put('/application/settings', { notes_create_limit: 0 })

// Connections of jobs whose statements may take no more than this many milliseconds.
const LIMIT = 2_000
const pool = openPool({ connectionString: w.environment['FORGELET_DATABASE_URL'] ?? '' }, 3)
Object.assign(pool.options, { statement_timeout: LIMIT })
afterAll(async () => {
  await pool.end()
  await w.running.stop()
})

function context(signal = new AbortController().signal): JobContext {
  const services = { ...w.running.services, db: openDb(pool), log: pino({ level: 'silent' }) }
  return jobContext(services, { attempt: 1, signal })
}

/** Writes notes on every issue of a project, with a mention and an award on one in ten, by SQL. */
async function fill(projectId: number, notes: number): Promise<void> {
  await sql`
    with written as (
      insert into notes (issue_id, author_id, body, discussion_id, starts_discussion, created_at, updated_at)
      select i.id, 1, 'x', decode(md5(i.id || ' ' || n) || '00000000', 'hex'), true, now(), now()
      from issues i cross join generate_series(1, ${notes}) as n where i.project_id = ${projectId}
      returning id, issue_id
    ), awarded as (
      insert into award_emoji (note_id, name, user_id, created_at, updated_at)
      select id, 'tada', 1, now(), now() from written where id % 10 = 0
    )
    insert into user_mentions (issue_id, note_id, user_id) select issue_id, id, 1 from written where id % 10 = 0`.execute(
    w.db,
  )
}

/** A project with so many issues, each with so many notes. */
async function projectWith(issues: number, notes: number) {
  const p = await w.project()
  await sql`
    insert into issues (project_id, iid, title, author_id, created_at, updated_at)
    select ${p.id}, n, 'x', 1, now(), now() from generate_series(1, ${issues}) as n`.execute(w.db)
  await fill(p.id, notes)
  return p
}

async function notesIn(projectId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from notes n join issues i on i.id = n.issue_id where i.project_id = ${projectId}`.execute(
    w.db,
  )
  return rows[0]?.count ?? 0
}

const namespaces = (id: number) => w.db.selectFrom('namespaces').select('id').where('id', '=', id).execute()

/** Writes notes one after the other until told to stop. @returns the milliseconds that each took, and refusals. */
function writing(path: string): () => Promise<{ slowest: number; written: number; refused: number[] }> {
  const times: number[] = []
  const refused: number[] = []
  let stopped = false
  const done = (async () => {
    while (!stopped) {
      const asked = performance.now()
      const { status } = await w.root.post(path, { body: 'meanwhile' })
      times.push(performance.now() - asked)
      if (status !== 201) refused.push(status)
    }
  })()
  return async () => {
    stopped = true
    await done
    return { slowest: Math.max(...times), written: times.length, refused }
  }
}

test(
  '300,000 notes go in short statements, while notes are written elsewhere',
  { timeout: 120_000 },
  async () => {
    const elsewhere = await w.project()
    const { body: issue } = await w.root.post(`/projects/${elsewhere.id}/issues`, { title: 'Elsewhere' })
    const [wide, deep] = [await projectWith(2_500, 80), await projectWith(1, 100_000)]
    await w.write(async (tx) => {
      await hideSubtree(tx, await lockNode(tx, wide.groupId))
      await hideSubtree(tx, await lockNode(tx, deep.groupId))
    })
    const stop = writing(`/projects/${elsewhere.id}/issues/${issue.iid}/notes`)
    const began = performance.now()
    for (const { groupId } of [wide, deep]) {
      await removeSubtree.execute({ namespace_id: groupId }, context())
      expect(await namespaces(groupId)).toEqual([])
    }
    const took = performance.now() - began
    const { slowest, written, refused } = await stop()
    console.log(
      `300,000 notes in ${Math.round(took)} ms; ${written} notes elsewhere, the slowest ${Math.round(slowest)} ms`,
    )
    expect(refused).toEqual([])
    expect(slowest).toBeLessThan(LIMIT)
    expect(await notesIn(elsewhere.id)).toBe(written)
  },
)
