import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { record } from '#platform/facts/record.ts'
import { sendingMails } from '#test/mail-world.ts'
import { insertMergeRequests } from '#test/merge-requests.ts'
import { giveBranches } from '#test/repositories.ts'
import { mails, readMail } from '#test/smtp.ts'
import type { Answer, Client } from '#test/client.ts'
import { snippetRow } from '#test/snippets.ts'
import { type Actor, openWorld, type Place, type World } from '#test/world.ts'
import { addressOf, everybodyTold } from './test-support.ts'

// Whoever can't read what happened is told of it neither by mail nor on their list, whatever it happened to. What they can
// read, they are asked for. Everybody is mentioned in everything, so rights alone decide.

let own: World
let made: Awaited<ReturnType<typeof make>>
beforeAll(async () => {
  own = await openWorld(undefined, 'premium', sendingMails)
  made = await make()
}, 120_000)
afterAll(() => own.running.stop())

const roles = ['guest', 'planner', 'reporter', 'stranger'] as const
type Who = (typeof roles)[number] | 'external'
type People = Readonly<Record<Who, Actor>>

/** Something that was said, by its one word, and the path of it. */
interface Said {
  readonly word: string
  readonly path: string
  readonly people: People
  /** Whether to-dos can be about it. */
  readonly hasTodos: boolean
}

const created = async (answer: Promise<Answer>) => {
  const { status, body, text } = await answer
  if (status >= 300) throw new Error(`${status}: ${text}`)
  return body
}

type At = Place & { readonly at: string; readonly people: People; readonly names: string }

async function withPeople(place: Place, at: string): Promise<At> {
  const people = { ...place, external: await own.user({ external: true }) }
  const names = [...roles, 'external' as const].map((who) => `@${people[who].username}`).join(' ')
  return { ...place, at, people, names }
}

/** A public project and a public group in which the owner has said something of every kind to everybody. */
async function make() {
  const project = await own.project({ visibility: 'public' })
  await giveBranches(project, own)
  const p = await withPeople(project, `/projects/${project.id}`)
  const group = await own.group({ visibility: 'public' })
  const g = await withPeople(group, `/groups/${group.id}`)
  const said: Said[] = []

  /** Says something by an opening text. */
  const open = async (place: At, word: string, more: object = {}) => {
    const kind = place === p ? 'issues' : 'epics'
    const json = { title: 'One', description: `${word} ${place.names}`, ...more }
    const { iid } = await created(place.owner.post(`${place.at}/${kind}`, json))
    said.push({ word, path: `${place.at}/${kind}/${iid}`, people: place.people, hasTodos: true })
  }
  /** Says something by a note. */
  const say = async (place: At, word: string, path: string, hasTodos: boolean, more: object = {}) => {
    const body = `${word} ${place.names}`
    const { id } = await created(place.owner.post(`${path}/notes`, { body, ...more }))
    said.push({ word, path: `${path}/notes/${id}`, people: place.people, hasTodos })
  }
  const item = async (place: At, key: 'id' | 'iid', more: object = {}) => {
    const kind = `${place.at}/${place === p ? 'issues' : 'epics'}`
    return `${kind}/${(await created(place.owner.post(kind, { title: 'One', ...more })))[key]}`
  }
  const page = async (place: At) => {
    const { wiki_page_meta_id } = await created(
      place.owner.post(`${place.at}/wikis`, { title: 'One', content: 'Text' }),
    )
    return `${place.at}/wiki_pages/${wiki_page_meta_id}`
  }
  const [secret, internal] = [{ confidential: true }, { internal: true }]
  await open(p, 'issue')
  await open(p, 'secret-issue', secret)
  await open(g, 'epic')
  await open(g, 'secret-epic', secret)
  await say(p, 'on-secret-issue', await item(p, 'iid', secret), true)
  await say(p, 'internal-on-issue', await item(p, 'iid'), true, internal)
  for (const visibility of ['public', 'internal', 'private'] as const)
    await say(p, `on-${visibility}-snippet`, await snippetRow(project, visibility, own), false)
  await insertMergeRequests(own.db, mergeRequests(project))
  await say(p, 'on-merge-request', `${p.at}/merge_requests/1`, true)
  await say(p, 'internal-on-merge-request', `${p.at}/merge_requests/2`, true, internal)
  const threads = `${p.at}/repository/commits/main/discussions`
  const { id } = await created(p.owner.post(threads, { body: `on-commit ${p.names}` }))
  said.push({ word: 'on-commit', path: `${threads}/${id}`, people: p.people, hasTodos: true })
  await say(p, 'on-page', await page(p), false)
  await say(g, 'on-page-of-group', await page(g), false)
  await say(g, 'on-secret-epic', await item(g, 'id', secret), true)
  await say(g, 'internal-on-epic', await item(g, 'id'), true, internal)
  return { p, g, said, namespaces: [project.namespaceId, group.id] }
}

/** Two that nobody pushed anything for. */
const mergeRequests = ({ id, owner }: Place) => sql`
  insert into merge_requests (project_id, source_project_id, iid, title, author_id, source_branch, target_branch,
    head_sha, start_sha, changed_files, created_at)
  select ${id}::bigint, ${id}::bigint, n, 'One', ${owner.id}::bigint, 'branch-' || n, 'main', repeat('0', 40), repeat('0', 40), 0, now()
  from generate_series(1, 2) as n`

/** Takes back what everybody was told, and lets the jobs tell it again, as if they ran only now. @returns how many mails came before */
async function tellAgain(namespaces: readonly number[]): Promise<number> {
  await sql`delete from todos`.execute(own.db)
  await sql`delete from mails`.execute(own.db)
  const before = mails.received.length
  await sql`
    with e as (
      insert into notification_events (event)
      select jsonb_build_object('at', f.at, 'actor', f.actor_id, 'fact', jsonb_build_object('name', f.name,
        'namespace', f.namespace_id, 'target', jsonb_build_object('type', f.target_type, 'id', f.target_id),
        'details', f.details))
      from facts f where f.namespace_id = any(${[...namespaces]}::bigint[])
        and f.name in ('issue created', 'epic created', 'note created') returning id)
    select graphile_worker.add_job('notifications/tell', json_build_object('event_id', id)) from e`.execute(
    own.db,
  )
  return before
}

const wordIn = (text: string | undefined, words: ReadonlySet<string>): string[] =>
  (text ?? '').split(/\s+/).filter((word) => words.has(word))

/** What somebody has been told: by mail since so many had come, as rows of their list, and as it shows. */
async function toldTo(person: Actor, words: ReadonlySet<string>, since: number) {
  const theirs = mails.received.slice(since).filter(({ to }) => to === addressOf(person))
  const read = await Promise.all(theirs.map(({ raw }) => readMail(raw)))
  const { rows } = await sql<{ text: string }>`
    select coalesce(x.body, i.description, e.description) as text from todos t
      left join notes x on x.id = t.note_id left join issues i on i.id = t.noteable_id
      left join epics e on e.id = t.noteable_id
    where t.user_id = ${person.id}`.execute(own.db)
  const { headers } = await person.get('/todos')
  return {
    mails: read.flatMap(({ text }) => wordIn(text, words)).toSorted(),
    todos: rows.flatMap(({ text }) => wordIn(text, words)).toSorted(),
    shown: Number(headers.get('x-total')),
  }
}

/** The words that somebody may read, asked one by one. */
async function readableTo(who: Who, said: readonly Said[]): Promise<Said[]> {
  const answers = await Promise.all(said.map(({ people, path }) => (people[who] as Client).get(path)))
  return said.filter((_, index) => answers[index]?.status === 200)
}

const features = ['issues', 'merge_requests', 'snippets', 'repository', 'wiki']
const levels = ['enabled', 'private', 'disabled'] as const

/** How many of the 16 things everybody is told of, in the order of the roles, external users last. */
const numbers = {
  private: {
    enabled: [7, 13, 16, 0, 0],
    private: [7, 13, 16, 0, 0],
    disabled: [1, 4, 4, 0, 0],
  },
  internal: {
    enabled: [9, 16, 16, 8, 0],
    private: [9, 16, 16, 1, 0],
    disabled: [1, 4, 4, 1, 0],
  },
  public: {
    enabled: [9, 16, 16, 8, 7],
    private: [9, 16, 16, 1, 1],
    disabled: [1, 4, 4, 1, 1],
  },
}
const cells = (['public', 'internal', 'private'] as const).flatMap((visibility) =>
  levels.map((level) => ({ visibility, level })),
)

test.each(cells)(
  'in $visibility places with features that are $level, everybody is told what they may read',
  async ({ visibility, level }) => {
    const { p, g, said, namespaces } = made
    const words = new Set(said.map(({ word }) => word))
    await everybodyTold(own)
    const set = Object.fromEntries(features.map((feature) => [`${feature}_access_level`, level]))
    await created(p.owner.put(p.at, { ...set, visibility }))
    await created(g.owner.put(g.at, { wiki_access_level: level, visibility }))
    const since = await tellAgain(namespaces)
    await everybodyTold(own)
    const counts: number[] = []
    for (const who of [...roles, 'external'] as const) {
      const readable = await readableTo(who, said)
      for (const people of [p.people, g.people]) {
        const here = readable.filter((one) => one.people === people)
        const todos = here.filter(({ hasTodos }) => hasTodos).map(({ word }) => word)
        const expected = {
          mails: here.map(({ word }) => word).toSorted(),
          todos: todos.toSorted(),
          shown: todos.length,
        }
        expect({ who, ...(await toldTo(people[who], words, since)) }).toEqual({ who, ...expected })
      }
      counts.push(readable.length)
    }
    expect(counts).toEqual(numbers[visibility][level])
  },
  60_000,
)

test('of a release those are told who may read releases when the mail is written', async () => {
  const p = await own.project({ visibility: 'public' })
  const external = await own.user({ external: true })
  const people = [p.guest, p.stranger, external]
  for (const one of people) await one.put(`/projects/${p.id}/notification_settings`, { level: 'watch' })
  const reached = async (tag: string, change: object) => {
    await created(p.owner.put(`/projects/${p.id}`, { visibility: 'public', ...change }))
    await own.write(
      async (tx) =>
        record(tx, {
          name: 'release published',
          namespace: p.namespaceId,
          target: null,
          details: { tag, name: tag, description: null },
        }),
      p.owner,
    )
    await everybodyTold(own)
    const got = (one: Actor) =>
      mails.mailsTo(addressOf(one)).some(({ raw }) => raw.includes(`release: ${tag}`))
    return people.map(got)
  }
  expect(await reached('v1', {})).toEqual([true, true, true])
  expect(await reached('v2', { releases_access_level: 'private' })).toEqual([true, false, false])
  expect(await reached('v3', { releases_access_level: 'disabled' })).toEqual([false, false, false])
  expect(await reached('v4', { releases_access_level: 'enabled', visibility: 'internal' })).toEqual([
    true,
    true,
    false,
  ])
  expect(await reached('v5', { visibility: 'private' })).toEqual([true, false, false])
}, 60_000)
