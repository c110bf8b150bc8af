import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { readConfig } from '#platform/config/config.ts'
import type { Db } from '#platform/db/pool.ts'
import { startServer } from '../src/server.ts'
import { startChild, temporaryFolder } from './children.ts'
import { atMost, type Effort, type Measure, median, reported } from './measures.ts'

const CROWD = 1_000
const token = 'glpat-administrator-of-the-measurements'

/** What a note costs on an issue in which 1,000 people take part, against one with a single participant. */
export async function measureCrowd({ rounds }: Effort): Promise<Measure[]> {
  await using folder = await temporaryFolder()
  await using sink = await startChild<{ port: number }>('mail-sink.ts')
  const config = readConfig({
    FORGELET_DATA: `${folder.path}/data`,
    FORGELET_PORT: '0',
    FORGELET_ROOT_TOKEN: token,
    FORGELET_SMTP_URL: `smtp://127.0.0.1:${sink.said.port}`,
  })
  const server = await startServer({ config, log: pino({ level: 'silent' }), withPassword: false })
  try {
    const { db } = server.services
    const post = async (path: string, json: object): Promise<{ id: number }> => {
      const headers = { 'private-token': token, 'content-type': 'application/json' }
      const answer = await fetch(`${server.url}/api/v4${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(json),
      })
      if (!answer.ok) throw new Error(`${answer.status} from ${path}`)
      const made: { id: number } = JSON.parse(await answer.text())
      return made
    }
    const project = await post('/projects', { name: 'crowd', visibility: 'public' })
    const issues = `/projects/${project.id}/issues`
    const { id } = await post(issues, { title: 'Of a single one' })
    const { id: crowded } = await post(issues, { title: 'Of a crowd' })
    await insertPeople(db, id, crowded)
    const [few, many, jobs]: [number[], number[], number[]] = [[], [], []]
    for (let round = -3; round < rounds * 5; round += 1) {
      const turns = [
        { iid: 1, times: few },
        { iid: 2, times: many },
      ]
      for (const { iid, times } of round % 2 === 0 ? turns : turns.toReversed()) {
        await everybodyTold(db, 'mails')
        const begun = performance.now()
        await post(`${issues}/${iid}/notes`, { body: 'Hello' })
        const answered = performance.now()
        await everybodyTold(db, 'events')
        if (round < 0) continue
        times.push(answered - begun)
        if (iid === 2) jobs.push(performance.now() - answered)
      }
    }
    const ratio = median(many) / median(few)
    const figure = `${ratio.toFixed(2)} (${median(few).toFixed(1)} and ${median(many).toFixed(1)} ms)`
    const written = `${(median(jobs) / CROWD).toFixed(2)} ms a mail`
    return [
      {
        ...atMost(`A note where ${CROWD} people are told, against one`, ratio, 1.2, figure),
        ratio: { value: ratio, better: 'lower' },
      },
      reported(`The job that writes the mails to these ${CROWD}`, written),
    ]
  } finally {
    await server.stop()
  }
}

/** People who subscribed to an issue: one to the first, all to the second. */
async function insertPeople(db: Db, first: number, second: number): Promise<void> {
  await sql`
    insert into users (username, name, email, created_at, updated_at)
    select 'crowd-' || n, 'Crowd', 'crowd-' || n || '@example.com', now(), now()
    from generate_series(1, ${CROWD}::integer) as n`.execute(db)
  await sql`
    insert into subscriptions (noteable_id, user_id, subscribed)
    select ${second}::bigint, id, true from users where username like 'crowd-%'
    union all (select ${first}::bigint, id, true from users where username like 'crowd-%' order by id limit 1)`.execute(
    db,
  )
  await sql`analyze users, subscriptions`.execute(db)
}

/** Waits until all mails are written, or all have left. */
async function everybodyTold(db: Db, what: 'events' | 'mails'): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ left: number }>`
      select ((select count(*) from notification_events)
        + (select count(*) from mails where ${what === 'mails'} and ended_at is null))::integer as left`.execute(
      db,
    )
    if (rows[0]?.left === 0) return
    await pause(2)
  }
}
