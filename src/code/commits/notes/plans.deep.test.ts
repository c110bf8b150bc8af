import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, plansOf, vacuum } from '#test/plans.ts'
import { commits, importInto } from '#test/repositories.ts'
import { openWorld, type World } from '#test/world.ts'

let own: World
let p: Awaited<ReturnType<World['project']>>
let path: string
let discussion: string

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  const { row } = await importInto(p, commits({ files: { a: 'a' } }), own)
  path = `/projects/${p.id}/repository/commits/${row.last_commit_sha}`
  discussion = (await p.developer.post(`${path}/discussions`, { body: 'Well?' })).body.id
  // Ten thousand other commits, each with a note on its diff.
  await sql`
    with c as (
      insert into noted_commits (project_id, sha)
      select ${p.id}, encode(sha224(n::text::bytea), 'hex') from generate_series(1, 10000) as n returning id
    ), o as (
      insert into noteables (id, kind, namespace_id) select id, 'commit', ${p.namespaceId} from c
    ), x as (
      insert into notes (noteable_id, author_id, body, discussion_id, starts_discussion, created_at, updated_at)
      select id, 1, 'x', substr(sha224(id::text::bytea), 1, 20), true, now(), now() from c returning id
    )
    insert into note_positions (note_id, position) select id, '{}' from x`.execute(own.db)
  await vacuum(own, 'noted_commits, noteables, notes, note_positions')
}, 180_000)
afterAll(() => own.running.stop())

const tables = ['noted_commits', 'notes', 'note_positions', 'noteables']

test.each(['comments', 'discussions', 'discussion', 'comment', 'reply', 'closing'])(
  'notes on a commit are found and written by indexes (%s)',
  async (what) => {
    const requests: Record<string, () => Promise<unknown>> = {
      comments: () => p.developer.get(`${path}/comments`),
      discussions: () => p.developer.get(`${path}/discussions`),
      discussion: () => p.developer.get(`${path}/discussions/${discussion}`),
      comment: () => p.developer.post(`${path}/comments`, { note: 'Here', path: 'a', line: 1 }),
      reply: () => p.developer.post(`${path}/discussions/${discussion}/notes`, { body: 'So?' }),
      async closing() {
        await p.developer.post(`/projects/${p.id}/issues`, { title: 'It' })
        const actions = [{ action: 'create', file_path: 'b', content: '' }]
        const commit = { branch: 'main', commit_message: 'Closes #1, see #1', actions }
        await p.developer.post(`/projects/${p.id}/repository/commits`, commit)
      },
    }
    const plans = await plansOf(own, requests[what] ?? (async () => {}))
    for (const table of tables) {
      for (const { sql: text, scanned } of concerning(plans, table)) {
        expect([text, scanned.filter((one) => tables.includes(one))]).toEqual([text, []])
      }
    }
    expect(concerning(plans, 'noted_commits').length).toBeGreaterThan(0)
  },
)
