import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { openDb, openPool } from '#platform/db/pool.ts'
import { jobContext } from '#platform/jobs/context.ts'
import { LeaseHeld } from '#platform/jobs/lease.ts'
import type { JobContext } from '#platform/jobs/task.ts'
import { insertIssues } from '#test/issues.ts'
import { openWorld } from '#test/world.ts'
import { removeSubtree } from './remove-subtree.ts'
import { lockNode } from './lock.ts'
import { hideSubtree } from './tree.ts'
import { until } from '#test/until.ts'

/** A server of its own, because these tests would slow others down. */
const w = await openWorld()

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
  await w.db.transaction().execute(async (db) => {
    // Without a look at the author and the issue of every note: that takes longer than writing it.
    await sql`set local session_replication_role = replica`.execute(db)
    await sql`
      with written as (
        insert into notes (noteable_id, author_id, body, discussion_id, starts_discussion, created_at, updated_at)
        select i.id, 1, 'x', decode(lpad(to_hex(i.id * 1000000 + n), 40, '0'), 'hex'), true, now(), now()
        from issues i cross join generate_series(1, ${notes}) as n where i.project_id = ${projectId}
        returning id, noteable_id
      ), awarded as (
        insert into award_emoji (note_id, name, user_id, created_at, updated_at)
        select id, 'tada', 1, now(), now() from written where id % 10 = 0
      )
      insert into user_mentions (noteable_id, note_id, user_id)
      select noteable_id, id, 1 from written where id % 10 = 0`.execute(db)
  })
}

/** A project with so many issues, each with so many notes. */
async function projectWith(issues: number, notes: number) {
  const p = await w.project()
  await insertIssues(
    w.db,
    sql`insert into issues (project_id, iid, title, author_id, created_at, updated_at)
      select ${p.id}, n, 'x', 1, now(), now() from generate_series(1, ${issues}) as n`,
  )
  await fill(p.id, notes)
  return p
}

async function notesIn(projectId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from notes n join issues i on i.id = n.noteable_id where i.project_id = ${projectId}`.execute(
    w.db,
  )
  return rows[0]?.count ?? 0
}

const namespaces = (id: number) => w.db.selectFrom('namespaces').select('id').where('id', '=', id).execute()

/** Writes a note every few milliseconds until told to stop. @returns the milliseconds that each took, and refusals. */
function writing(path: string): () => Promise<{ slowest: number; written: number; refused: number[] }> {
  const times: number[] = []
  const refused: number[] = []
  const stopping = new AbortController()
  const done = (async () => {
    while (!stopping.signal.aborted) {
      const asked = performance.now()
      const { status } = await w.root.post(path, { body: 'meanwhile' })
      times.push(performance.now() - asked)
      if (status !== 201) refused.push(status)
      // Without a pause, these notes would take longer than the deletion.
      await pause(40)
    }
  })()
  return async () => {
    stopping.abort()
    await done
    return { slowest: Math.max(...times), written: times.length, refused }
  }
}

test(
  '200,000 notes go in short statements, while notes are written elsewhere',
  { timeout: 120_000 },
  async () => {
    const elsewhere = await w.project()
    const { body: issue } = await w.root.post(`/projects/${elsewhere.id}/issues`, { title: 'Elsewhere' })
    const [wide, deep] = [await projectWith(1_250, 80), await projectWith(1, 100_000)]
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
      `200,000 notes in ${Math.round(took)} ms; ${written} notes elsewhere, the slowest ${Math.round(slowest)} ms`,
    )
    expect(refused).toEqual([])
    expect(slowest).toBeLessThan(LIMIT)
    expect(await notesIn(elsewhere.id)).toBe(written)
  },
)

test(
  'an issue with 20,000 notes is gone at once for everybody; a job removes it',
  { timeout: 60_000 },
  async () => {
    const p = await projectWith(1, 20_000)
    const path = `/projects/${p.id}/issues/1`
    const { id } = (await w.root.get(path)).body
    expect((await p.owner.delete(path)).status).toBe(204)
    for (const reader of [p.owner, w.root]) {
      for (const gone of [path, `${path}/notes`]) {
        expect({ gone, status: (await reader.get(gone)).status }).toEqual({ gone, status: 404 })
      }
      for (const list of ['/issues?scope=all', `/projects/${p.id}/issues`, `/groups/${p.groupId}/issues`]) {
        const { body } = await reader.get(list)
        expect(body.filter((issue: { id: number }) => issue.id === id)).toEqual([])
      }
    }
    expect((await w.root.get(`/issues/${id}`)).status).toBe(404)
    expect((await w.root.get(`/projects/${p.id}`)).body.open_issues_count).toBe(0)
    const left = () =>
      sql`
    select from issues where id = ${id} union all select from notes where noteable_id = ${id}
      union all select from namespaces where full_path = ${`-/deleted/issues/${id}`}`.execute(w.db)
    await until(async () => expect((await left()).rows).toEqual([]))
  },
)

test('a removal that is cut short again and again comes to its end', { timeout: 60_000 }, async () => {
  const p = await projectWith(5, 2_000)
  await w.write(async (tx) => hideSubtree(tx, await lockNode(tx, p.groupId)))
  const remaining: number[] = []
  for (let runs = 0; (await namespaces(p.groupId)).length > 0; runs += 1) {
    expect(runs).toBeLessThan(50)
    await removeSubtree.execute({ namespace_id: p.groupId }, cutShortAfter(10)).catch((error: Error) => {
      expect(error.message).toBe('killed')
    })
    remaining.push(await notesIn(p.id))
  }
  expect(remaining.length).toBeGreaterThan(2)
  expect(remaining).toEqual(remaining.toSorted((one, other) => other - one))
  await removeSubtree.execute({ namespace_id: p.groupId }, context())
})

test('two nodes do not remove the same at the same time', async () => {
  const p = await projectWith(1, 5_000)
  await w.write(async (tx) => hideSubtree(tx, await lockNode(tx, p.groupId)))
  const runs = [context(), context()].map((job) => removeSubtree.execute({ namespace_id: p.groupId }, job))
  const results = await Promise.allSettled(runs)
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(refused).toEqual([expect.any(LeaseHeld)])
  expect(await namespaces(p.groupId)).toEqual([])
})

test('an account with much to its name goes, and what it wrote', { timeout: 60_000 }, async () => {
  const [user, p] = [await w.user(), await projectWith(3, 2_000)]
  const { owner } = p
  // Every third issue is theirs, every second note, and they are assigned to all of them.
  for (const statement of [
    sql`update issues set author_id = ${user.id} where project_id = ${p.id} and iid = 1`,
    sql`update issues set closed_by_id = ${user.id} where project_id = ${p.id}`,
    sql`update notes set author_id = ${user.id} where id % 2 = 0 and noteable_id in (
      select id from issues where project_id = ${p.id})`,
    sql`update noteables o set notes_count = (select count(*) from notes where noteable_id = o.id)
      where namespace_id = ${p.namespaceId}`,
    sql`insert into issue_assignees (issue_id, user_id) select id, ${user.id} from issues where project_id = ${p.id}`,
  ]) {
    await statement.execute(w.db)
  }
  expect((await w.root.delete(`/users/${user.id}?hard_delete=true`)).status).toBe(204)
  const account = () => w.db.selectFrom('users').select('id').where('id', '=', user.id).execute()
  await until(async () => expect(await account()).toEqual([]))
  expect((await owner.get(`/projects/${p.id}/issues/1`)).status).toBe(404)
  const { body } = await owner.get(`/projects/${p.id}/issues/2`)
  expect([body.user_notes_count, body.closed_by, body.assignees]).toEqual([1_000, null, []])
  expect(await notesIn(p.id)).toBe(2_000)
})

/** A job whose process is killed after so many transactions. */
function cutShortAfter(transactions: number): JobContext {
  const job = context()
  let left = transactions
  return {
    ...job,
    transact: (work, author) => {
      if (left-- === 0) throw new Error('killed')
      return job.transact(work, author)
    },
  }
}
