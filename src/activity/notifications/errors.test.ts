import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { failure, tracked } from '#monitoring/error-tracking/test-support.ts'
import { w } from '#test/mail-world.ts'
import { mailsOf, subjectsOf } from './test-support.ts'

/** Errors that differ in their calls. */
const error = (name: string) => failure('it failed', { fingerprint: [name], transaction: name })

test('who watches a project is told of new errors and of those that are back', async () => {
  const p = await tracked(w)
  for (const who of [p.developer, p.guest])
    await who.put(`/projects/${p.id}/notification_settings`, { level: 'watch' })
  const name = p.fullPath.split('/').at(-1)
  await p.report(error('a'))
  await p.report(error('a'))
  await p.expectErrors([{ events_count: 2 }])
  expect(await subjectsOf(p.developer)).toEqual([`${name} | New error: TypeError: it failed`])
  const [mail] = await mailsOf(p.developer)
  const [{ id, web_url }] = await p.errors()
  expect(mail?.text).toContain(
    'A program reported a new error.\n\nTypeError: it failed\n/app/src/pay.js in pay',
  )
  expect(mail?.text).toContain(`View it: ${web_url}\n`)
  // An event of an error that is known is told to nobody.
  await p.maintainer.put(`${p.base}/errors/${id}`, { status: 'resolved' })
  await p.report(error('a'))
  await p.expectErrors([{ events_count: 3, status: 'unresolved' }])
  expect((await subjectsOf(p.developer)).at(-1)).toBe(`${name} | Error is back: TypeError: it failed`)
  // Who may not read errors hears nothing of them, and who does not watch neither.
  for (const who of [p.guest, p.reporter]) expect(await subjectsOf(who)).toEqual([])
})

test('mails tell of five errors an hour one by one, and of the others in one', async () => {
  const p = await tracked(w)
  await p.developer.put(`/projects/${p.id}/notification_settings`, { level: 'watch' })
  for (let number = 0; number < 8; number += 1) await p.report(error(`error of ${number}`))
  await expect.poll(async () => (await p.errors()).length).toBe(8)
  expect((await subjectsOf(p.developer)).length).toBe(5)
  const { rows } = await sql<{ run_at: Date; since: Date }>`
    select j.run_at, n.since from error_news n join graphile_worker.jobs j on j.task_identifier = 'error-tracking/tell-rest'
      join graphile_worker._private_jobs q on q.id = j.id and (q.payload ->> 'project_id')::bigint = n.project_id
    where n.project_id = ${p.id}`.execute(w.db)
  const [job, ...others] = rows.map(
    ({ run_at, since }) => new Date(run_at).getTime() - new Date(since).getTime(),
  )
  expect([job, others]).toEqual([3_600_000, []])
  await endHour(p.id)
  await expect.poll(async () => (await subjectsOf(p.developer)).length).toBe(6)
  const last = (await mailsOf(p.developer)).at(-1)
  expect(last?.subject).toBe(`${p.fullPath.split('/').at(-1)} | More errors`)
  expect(last?.text).toContain('3 more errors came within an hour.')
  // Another hour begins.
  await p.report(error('the next one'))
  await expect.poll(async () => (await p.errors()).length).toBe(9)
  expect((await subjectsOf(p.developer)).at(-1)).toContain('New error')
})

test('an hour with few errors ends without a mail', async () => {
  const p = await tracked(w)
  await p.developer.put(`/projects/${p.id}/notification_settings`, { level: 'watch' })
  for (let number = 0; number < 5; number += 1) await p.report(error(`first ${number}`))
  await expect.poll(async () => (await p.errors()).length).toBe(5)
  await sql`update error_news set since = since - interval '1 hour' where project_id = ${p.id}`.execute(w.db)
  await p.report(error('second'))
  await expect.poll(async () => (await p.errors()).length).toBe(6)
  expect((await subjectsOf(p.developer)).length).toBe(6)
})

/** Lets the job that waits for the end of a project's hour run now. */
async function endHour(projectId: number): Promise<void> {
  await sql`
    select graphile_worker.reschedule_jobs(array_agg(j.id), now()) from graphile_worker._private_jobs j
    where (j.payload ->> 'project_id')::bigint = ${projectId}`.execute(w.db)
}
