import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillLarge, type LargeData } from '../../../bench/large-data.ts'
import type { Client } from '#test/client.ts'
import { rowsRead, vacuum } from '#test/plans.ts'
import { expectQuick } from '#test/quick.ts'
import { openWorld, type World } from '#test/world.ts'
import { searchFor } from './test-support.ts'

// What searches cost at 200,000 issues, a third of them in one project, each with comments. All of them have the same words.

const ISSUES = 200_000
const PROJECTS = 500

let own: World
let made: LargeData
let guest: Client

beforeAll(async () => {
  own = await openWorld()
  const client = await own.running.services.pool.connect()
  made = await fillLarge(client, { issues: ISSUES, projects: PROJECTS, people: 2_000 })
  client.release(true)
  const user = await own.user()
  guest = user
  const { db } = own
  const { project_namespace_id: namespace } = await db
    .selectFrom('projects')
    .select('project_namespace_id')
    .where('id', '=', made.largeProject)
    .executeTakeFirstOrThrow()
  await own.member(namespace, user, 10)
  await sql`
    insert into notes (noteable_id, author_id, body, discussion_id, starts_discussion, system, created_at, updated_at)
    select i.id, 1, 'The usual comment says ' || md5(i.id::text), sha224(i.id::text::bytea), true, false, created_at, created_at
    from issues i, generate_series(1, 3) n where i.project_id = ${made.largeProject}::bigint`.execute(db)
  await sql`update noteables set notes_count = 3 where namespace_id = ${namespace}::bigint and kind = 'issue'`.execute(
    db,
  )
  await sql`
    insert into milestones (namespace_id, iid, title, created_at, updated_at)
    select p.project_namespace_id, 1000 + n, 'The milestone ' || n, now(), now()
    from projects p, generate_series(1, 20) n`.execute(db)
  await sql`
    with made as (
      insert into snippets (project_id, author_id, title, visibility, created_at, ip)
      select p.id, 1, 'The usual snippet', 'public', now(), '127.0.0.1'
      from projects p, generate_series(1, 20) n returning id, project_id, created_at)
    insert into noteables (id, kind, namespace_id, updated_at)
    select made.id, 'snippet', p.project_namespace_id, made.created_at from made
      join projects p on p.id = made.project_id`.execute(db)
  await own.root.put('/application/settings', { search_rate_limit: 0 })
  await vacuum(own)
}, 300_000)
afterAll(() => own.running.stop())

const tables = ['issues', 'issue_search', 'noteables', 'notes', 'milestones', 'snippets', 'users']
const everywhere = ['issues', 'merge_requests', 'projects', 'milestones', 'users', 'snippet_titles']

/** Rare, common and hostile. */
const words = ['nobodyhasthis', 'the', 'a', '%', '_', '\\', "' or 1=1 --", 'a '.repeat(500)]

/**
 * Of the 800,000 rows of issues, their words and comments. A common word is looked for in the 65,000 issues of the project themselves;
 * titles of snippets have no index, so each of these 10,000 is read for the page and for the total.
 */
const MOST = 250_000

test.each([
  ['the instance', (): string => '', everywhere],
  ['a group', (): string => `/groups/${made.memberGroup}`, everywhere],
  [
    'a project',
    (): string => `/projects/${made.largeProject}`,
    ['issues', 'merge_requests', 'milestones', 'users', 'notes'],
  ],
] as const)(
  'searches of %s look at a part of the rows alone, and answer at once',
  async (_, at, scopes) => {
    for (const by of [guest, own.root])
      for (const scope of scopes) {
        // The guest is in no group.
        if (by === guest && at().startsWith('/groups')) continue
        for (const word of words) {
          // 100 ms on a machine that does nothing else.
          await expectQuick(async () => {
            const { status } = await searchFor(by, at(), scope, word)
            expect({ scope, word, status }).toEqual({ scope, word, status: 200 })
          }, 700)
        }
        const rows = await rowsRead(own, tables, 'for the values', () => searchFor(by, at(), scope, 'the'))
        expect({ scope, rows }).toEqual({ scope, rows: expect.toSatisfy((read: number) => read < MOST) })
      }
  },
  120_000,
)

test('comments on what changed long ago are not searched, and the answer says so', async () => {
  const { headers } = await searchFor(own.root, `/projects/${made.largeProject}`, 'notes', 'usual')
  expect(headers.get('x-search-incomplete')).toBe('true')
})

// No more words are read than a total counts, so the other filters have to apply before.
test('a word of every issue and another filter find all that the filter finds', async () => {
  const confidential = `/projects/${made.largeProject}/issues?confidential=true&per_page=100`
  const [all, found] = [await own.root.get(confidential), await own.root.get(`${confidential}&search=the`)]
  const total = Number(all.headers.get('x-total'))
  expect(total).toBeGreaterThan(1_000)
  expect(Number(found.headers.get('x-total'))).toBe(total)
  const ids = (answer: typeof all) => answer.body.map(({ id }: { id: number }) => id)
  expect(ids(found)).toEqual(ids(all))
})
