import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPool } from '#platform/db/pool.ts'
import { Client } from '#test/client.ts'
import { ROOT_TOKEN } from '#test/database.ts'
import { dropDatabase, newBareDatabase, urlOf } from '#test/new-database.ts'
import { freePort } from '#test/redis.ts'
import { tree } from '#test/tree.ts'
import { until } from '#test/until.ts'
import { folder, forgelet, READY } from './forgelet.ts'

const MIGRATIONS = 'src/platform/db/migrations'

/** The main file of a version that comes after this one: it changes tables of jobs when it starts. */
function laterProgram(): { readonly main: string; readonly migration: number } {
  const path = folder()
  for (const part of ['src', 'scripts', 'package.json'])
    cpSync(join(tree, part), join(path, part), { recursive: true })
  symlinkSync(join(tree, 'node_modules'), join(path, 'node_modules'))
  const before = readdirSync(join(path, MIGRATIONS)).filter((name) => name.endsWith('.sql')).length
  const migration = before + 1
  writeFileSync(
    join(path, MIGRATIONS, `${String(migration).padStart(4, '0')}-of-a-later-version.sql`),
    `-- works with: ${before}
alter table ci_jobs add column of_a_later_version text not null default 'x';
alter table ci_running_jobs add column of_a_later_version text not null default 'x';
`,
  )
  return { main: join(path, 'src/main.ts'), migration }
}

const CONFIG = `
stages: [build, test]
build:
  stage: build
  script:
    - echo begun
    - 'n=0; while [ ! -e "$PLACE/go" ]; do n=$((n + 1)); echo "line $n" | tee -a "$PLACE/lines"; sleep 0.2; done'
    - mkdir out && cp "$PLACE/lines" out/lines
  artifacts: { paths: [out] }
test:
  stage: test
  script: ['cmp out/lines "$PLACE/lines"', 'git log --format=%H -1', 'echo compared']
`

test(
  'a job that runs while the server is replaced by a later version ends well, with its whole log and its artifacts',
  { timeout: 300_000 },
  async () => {
    const database = await newBareDatabase()
    onTestFinished(() => dropDatabase(database))
    const place = folder()
    const environment = {
      FORGELET_DATA: folder(),
      FORGELET_DATABASE_URL: urlOf(database),
      FORGELET_PORT: String(await freePort()),
      FORGELET_ROOT_TOKEN: ROOT_TOKEN,
    }
    const old = forgelet(['serve'], environment)
    const url = await old.saying(READY)
    const root = new Client(url, { 'private-token': ROOT_TOKEN })
    const { body: project } = await root.post('/projects', { name: 'jobs' })
    const base = `/projects/${project.id}`
    const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content: CONFIG }]
    const commit = { branch: 'main', commit_message: 'Begin [skip ci]', actions }
    expect((await root.post(`${base}/repository/commits`, commit)).status).toBe(201)

    const of = ['--as-root', '--folder', folder()]
    const register = forgelet(['runner', 'register', ...of, '--url', url, '--token', ROOT_TOKEN])
    expect(await register.ended).toBe(0)
    const runner = forgelet(['runner', ...of])
    const variables = [{ key: 'PLACE', value: place }]
    const { body: pipeline } = await root.post(`${base}/pipeline`, { ref: 'main', variables })
    const jobs = async (): Promise<Record<string, { readonly id: number; readonly status: string }>> =>
      Object.fromEntries(
        (await root.get(`${base}/pipelines/${pipeline.id}/jobs`)).body.map((job: { name: string }) => [
          job.name,
          job,
        ]),
      )
    const log = async (name: string): Promise<string> =>
      (await root.get(`${base}/jobs/${(await jobs())[name]?.id}/trace`)).text
    await until(async () => expect(await log('build')).toContain('\nline 1\n'))

    old.process.kill('SIGTERM')
    expect(await old.ended).toBe(0)
    const written = () => readFileSync(join(place, 'lines'), 'utf8').split('\n').length
    const before = written()
    const { main, migration } = laterProgram()
    // Nobody takes the log meanwhile, and the job goes on.
    await until(() => expect(written()).toBeGreaterThan(before + 10))
    const later = forgelet(['serve'], environment, main)
    expect(await later.saying(READY)).toBe(url)
    const pool = openPool(database, 1)
    try {
      const { rows } = await pool.query('select max(number)::int as last from migrations')
      expect(rows).toEqual([{ last: migration }])
    } finally {
      await pool.end()
    }
    expect((await jobs())['build']?.status).toBe('running')

    writeFileSync(join(place, 'go'), '')
    await until(async () =>
      expect((await root.get(`${base}/pipelines/${pipeline.id}`)).body.status).toBe('success'),
    )
    expect((await log('build')).match(/^line \d+$/gm)?.join('\n')).toBe(
      readFileSync(join(place, 'lines'), 'utf8').trimEnd(),
    )
    expect(await log('test')).toContain('\ncompared')
    runner.process.kill('SIGTERM')
    expect(await runner.ended).toBe(0)
  },
)
