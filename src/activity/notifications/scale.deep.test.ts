import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mails } from '#test/smtp.ts'
import { sendingMails } from '#test/mail-world.ts'
import { vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'
import { dueOn } from './due.ts'
import { everybodyTold } from './test-support.ts'

// What it costs to tell many people, and that a job that begins again tells nobody twice.

const PEOPLE = 1_000

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld(undefined, undefined, sendingMails)
  p = await own.project({ visibility: 'public' })
  await sql`
    insert into users (username, name, email, created_at, updated_at)
    select 'crowd-' || n, 'Crowd', 'crowd-' || n || '@crowd.example', now(), now()
    from generate_series(1, ${PEOPLE}::integer) as n`.execute(own.db)
}, 180_000)
afterAll(() => own.running.stop())

/** An issue to which that many people subscribe. */
async function issueOf(people: number): Promise<string> {
  const { body } = await p.owner.post(`/projects/${p.id}/issues`, { title: `Of ${people}` })
  await sql`
    insert into subscriptions (noteable_id, user_id, subscribed)
    select ${body.id}::bigint, u.id, true from users u where u.username like 'crowd-%' order by u.id limit ${people}`.execute(
    own.db,
  )
  await everybodyTold(own)
  return `/projects/${p.id}/issues/${body.iid}`
}

const mailed = () => mails.received.filter(({ to }) => to.endsWith('@crowd.example')).map(({ to }) => to)

test('a note on what a thousand people take part in costs what it costs with one, and reaches each once', async () => {
  const [few, many] = [await issueOf(1), await issueOf(PEOPLE)]
  const write = (path: string) => async () => {
    expect((await p.guest.post(`${path}/notes`, { body: 'Hello' })).status).toBe(201)
  }
  await write(few)()
  await everybodyTold(own)
  const texts = async (path: string) => {
    const seen = await own.statements(write(path))
    return seen.length
  }
  const before = mailed().length
  const single = await texts(few)
  await everybodyTold(own)
  const crowd = await texts(many)
  await everybodyTold(own)
  expect(crowd).toBe(single)
  const reached = mailed().slice(before)
  expect(reached).toHaveLength(PEOPLE + 1)
  expect(new Set(reached).size).toBe(PEOPLE)
}, 180_000)

test('an event that is told again goes on where it stopped, and tells nobody twice', async () => {
  const path = await issueOf(3)
  const before = mailed().length
  const { body } = await p.guest.post(`${path}/notes`, { body: 'Once' })
  await everybodyTold(own)
  expect(mailed().slice(before)).toHaveLength(3)
  // As if the process had died between the last batch and the end of the job, and before.
  await sql`
    with e as (
      insert into notification_events (event)
      select jsonb_build_object('at', f.at, 'actor', f.actor_id, 'fact', jsonb_build_object('name', f.name,
        'namespace', f.namespace_id, 'target', jsonb_build_object('type', f.target_type, 'id', f.target_id),
        'details', f.details))
      from facts f where f.name = 'note created' and f.target_id = ${body.id} returning id)
    select graphile_worker.add_job('notifications/tell', json_build_object('event_id', id)),
      graphile_worker.add_job('notifications/tell', json_build_object('event_id', id)) from e`.execute(own.db)
  await everybodyTold(own)
  expect(mailed().slice(before)).toHaveLength(3)
})

test('issues that are due are found by their index', async () => {
  await sql`
    with made as (
      insert into issues (project_id, iid, title, author_id, due_date, created_at, updated_at)
      select ${p.id}::bigint, 1000 + n, 'Later', ${p.owner.id}::bigint, date '2020-01-01' + n, now(), now()
      from generate_series(1, 3000) as n returning id)
    insert into noteables (id, kind, namespace_id, updated_at)
    select id, 'issue', ${p.namespaceId}::bigint, now() from made`.execute(own.db)
  await vacuum(own, 'issues')
  const { rows } = await sql<Record<string, string>>`explain ${dueOn('2020-06-01', 0)}`.execute(own.db)
  const plan = rows.flatMap((row) => Object.values(row)).join('\n')
  expect(plan).toContain('issues_due')
}, 180_000)
