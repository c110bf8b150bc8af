import { sql } from 'kysely'
import { pino } from 'pino'
import { inject, describe, expect, test } from 'vitest'
import { readConfig } from '#platform/config/config.ts'
import { databaseReady } from './readiness.ts'
import { packageVersion } from '#platform/package.ts'
import { createScratchDatabase } from '#test/scratch-database.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { newSshKey } from '#test/ssh-keys.ts'
import { w } from '#test/world.ts'
import { startServer } from '#server.ts'
import { until } from '#test/until.ts'

const page = async (path: string, url = w.url) => {
  const answer = await fetch(`${url}${path}`)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

describe('GET /version and GET /metadata', () => {
  test('say what clients compare', async () => {
    const { body } = await w.root.get('/version')
    expect(body).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+-ee$/), revision: packageVersion() })
    expect((await w.root.get('/metadata')).body).toEqual({
      ...body,
      kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
      enterprise: true,
    })
  })

  test('with any of four scopes, and never without a token', async () => {
    const user = await w.user()
    for (const scope of ['api', 'read_api', 'read_user', 'ai_features'] as const) {
      const { client } = await w.token(user, [scope])
      expect((await client.get('/version')).status).toBe(200)
      expect((await client.get('/metadata')).status).toBe(200)
    }
    expect((await w.anonymous.get('/metadata')).status).toBe(401)
  })
})

describe('GET /application/statistics', () => {
  // Other tests have made thousands before.
  const numberOf = (digits: string) => Number(digits.replaceAll(',', ''))

  test('counts in one statement, as digits', async () => {
    await w.project()
    const count = async () => (await w.root.get('/application/statistics')).body
    // A job may remove a user of another test meanwhile.
    const after = await until(async () => {
      const before = await count()
      const { id } = await w.user()
      await w.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', id).execute()
      const now = await count()
      expect(numberOf(now.users)).toBe(numberOf(before.users) + 1)
      expect(now.active_users).toBe(before.active_users)
      return now
    })
    expect(numberOf(after.projects)).toBeGreaterThan(0)
    expect(new Set(Object.values(after).map((value) => typeof value))).toEqual(new Set(['string']))
    expect((await w.statements(count)).length).toBe(2)
  })

  test('counts merge requests, forks, keys and the rest, with commas from a thousand on', async () => {
    const p = await branchedProject()
    const count = async () => (await w.root.get('/application/statistics')).body
    const numbers = async () => {
      const { merge_requests, forks, ssh_keys, snippets } = await count()
      return [merge_requests, forks, ssh_keys, snippets].map(numberOf)
    }
    const before = await numbers()
    await openMergeRequest(p, p.developer)
    await p.developer.post(`/projects/${p.id}/fork`)
    await p.developer.post('/user/keys', { title: 'x', key: newSshKey() })
    await p.developer.post(`/projects/${p.id}/snippets`, {
      title: 'x',
      visibility: 'private',
      files: [{ file_path: 'a', content: 'a' }],
    })
    expect(await numbers()).toEqual(before.map((number) => number + 1))
    await sql`insert into milestones (namespace_id, iid, title, created_at, updated_at)
      select ${p.namespaceId}::bigint, 1000 + n, 'm' || n, now(), now() from generate_series(1, 1234) as n`.execute(
      w.db,
    )
    expect((await count()).milestones).toMatch(/^\d,\d{3}$/)
  })
})

describe('pages for those who watch', () => {
  test('need no credentials and are never kept', async () => {
    const health = await page('/-/health')
    expect([health.status, health.text]).toEqual([200, 'Forgelet is up.\n'])
    expect(health.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(health.headers.get('cache-control')).toBe('no-store')
    expect(await page('/-/liveness')).toMatchObject({ status: 200, text: '{"status":"ok"}' })
    const ready = await page('/-/readiness')
    expect(JSON.parse(ready.text)).toEqual({
      status: 'ok',
      database_check: [{ status: 'ok' }],
      listener_check: [{ status: 'ok' }],
      repositories_check: [{ status: 'ok' }],
      jobs_check: [{ status: 'ok' }],
    })
    expect(await w.statements(() => page('/-/health'))).toEqual([])
    expect((await page('/api/v4/-/health')).status).toBe(404)
  })

  test('metrics: requests by route, statements, connections, jobs, the process', async () => {
    const { id } = await w.project()
    await w.root.get(`/projects/${id}/labels?search=x`)
    await w.root.get('/nowhere')
    const { status, text, headers } = await page('/-/metrics')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    const labels = 'method="GET",route="/api/v4/projects/:id/labels",status="200"'
    expect(text).toMatch(
      new RegExp(`forgelet_http_request_duration_seconds_bucket\\{le="0.001",${labels}\\} \\d`),
    )
    expect(text).toContain(
      'forgelet_http_request_duration_seconds_count{method="GET",route="none",status="404"}',
    )
    expect(text).not.toContain(`/projects/${id}`)
    expect(text).toMatch(/^forgelet_database_statements_total [1-9]/m)
    expect(text).toMatch(/^forgelet_database_connections\{share="writes",state="idle"\} \d/m)
    expect(text).toMatch(/^forgelet_jobs\{state="ready"\} \d/m)
    expect(text).toMatch(/^forgelet_jobs_lag_seconds \d/m)
    expect(text).toMatch(/^process_cpu_seconds_total /m)
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
  })

  test(
    'say which part fails while the database is away, and that it is back',
    { timeout: 180_000 },
    async () => {
      await using database = await createScratchDatabase()
      const server = await startServer({
        config: readConfig({
          FORGELET_DATA: inject('dataDir'),
          FORGELET_PORT: '0',
          FORGELET_SECRET_KEY: 'the master key of the tests, long enough',
        }),
        log: pino({ level: 'silent' }),
        address: database.address,
        withPassword: false,
      })
      try {
        const readiness = async () => {
          const { status, text } = await page('/-/readiness', server.url)
          return { status, body: JSON.parse(text) }
        }
        expect((await readiness()).status).toBe(200)
        const reopen = await database.outage()
        await until(async () => {
          const { status, body } = await readiness()
          expect(status).toBe(503)
          expect(body).toMatchObject({
            status: 'failed',
            database_check: [{ status: 'failed', message: 'is not reachable' }],
            listener_check: [{ status: 'failed' }],
          })
        })
        expect((await page('/-/health', server.url)).status).toBe(200)
        expect((await page('/-/liveness', server.url)).status).toBe(200)
        const metrics = await page('/-/metrics', server.url)
        expect(metrics.status).toBe(200)
        expect(metrics.text).toContain('forgelet_http_request_duration_seconds_count')
        expect(metrics.text).not.toMatch(/^forgelet_jobs(_lag_seconds)? ?[{\d]/m)
        expect((await page('/api/v4/version?private_token=x', server.url)).status).toBe(503)
        await reopen()
        await until(async () => expect((await readiness()).status).toBe(200))
      } finally {
        await server.stop()
      }
    },
  )

  test('an older schema is not ready', async () => {
    await using database = await createScratchDatabase()
    const check = databaseReady(database.db)
    expect(await check()).toBeUndefined()
    await database.db
      .deleteFrom('migrations')
      .where('number', '=', (eb) => eb.selectFrom('migrations').select(eb.fn.max('number').as('last')))
      .execute()
    expect(await check()).toMatch(/^is at migration \d+ of \d+$/)
  })
})
