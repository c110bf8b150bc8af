import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { record } from '#platform/facts/record.ts'
import { sendingMails } from '../../../test/mail-world.ts'
import { branchedProject, openMergeRequest } from '../../../test/merge-requests.ts'
import { mails, readMail } from '../../../test/smtp.ts'
import type { Answer, Client } from '../../../test/client.ts'
import { type Actor, openWorld, type Place, type World } from '../../../test/world.ts'
import { addressOf, everybodyTold } from './test-support.ts'

// Whoever can't read what happened is told of it neither by mail nor on their list, whatever it happened to. What they can
// read, they are asked for. Everybody is mentioned in everything, so rights alone decide.

let own: World
beforeAll(async () => {
  own = await openWorld(undefined, 'premium', sendingMails)
}, 60_000)
afterAll(() => own.running.stop())

const roles = ['guest', 'planner', 'reporter', 'securityManager', 'stranger'] as const
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

const noted = (place: At, path: string, more: object = {}) => {
  const say = async (word: string, hasTodos: boolean): Promise<Said> => {
    const note = await created(place.owner.post(`${path}/notes`, { body: `${word} ${place.names}`, ...more }))
    return { word, path: `${path}/notes/${note.id}`, people: place.people, hasTodos }
  }
  return say
}

/** A project and a group in which the owner has said something of every kind to everybody. */
async function make(visibility: 'private' | 'internal' | 'public') {
  const branched = await branchedProject({ visibility }, own)
  const p = await withPeople(branched, `/projects/${branched.id}`)
  const inGroup = await own.group({ visibility })
  const g = await withPeople(inGroup, `/groups/${inGroup.id}`)
  const issue = async (more: object = {}) =>
    `${p.at}/issues/${(await created(p.owner.post(`${p.at}/issues`, { title: 'One', ...more }))).iid}`
  const epic = (more: object = {}) => created(g.owner.post(`${g.at}/epics`, { title: 'One', ...more }))
  const snippet = async (level: string) => {
    const files = [{ file_path: 'a.txt', content: 'a' }]
    const made = await created(p.owner.post(`${p.at}/snippets`, { title: 'One', visibility: level, files }))
    return `${p.at}/snippets/${made.id}`
  }
  const page = async (place: At) => {
    const made = await created(place.owner.post(`${place.at}/wikis`, { title: 'One', content: 'Text' }))
    return `${place.at}/wiki_pages/${made.wiki_page_meta_id}`
  }
  const request = (source_branch: string, description = '') =>
    openMergeRequest(p, p.owner, { source_branch, description })
  const opening = (place: At, word: string, path: string): Said => ({
    word,
    path,
    people: place.people,
    hasTodos: true,
  })
  const textOf = (place: At, word: string) => ({ description: `${word} ${place.names}` })
  const secret = { confidential: true }
  const newEpic = await epic(textOf(g, 'epic'))
  const newSecretEpic = await epic({ ...textOf(g, 'secret-epic'), ...secret })
  const open = await request('feature')
  const commits = `${p.at}/repository/commits`
  const { id: sha } = await created(p.owner.get(`${commits}/main`))
  const threads = `${commits}/${sha}/discussions`
  const onCommit = await created(p.owner.post(threads, { body: `on-commit ${p.names}` }))
  const said: Said[] = [
    opening(p, 'issue', await issue(textOf(p, 'issue'))),
    opening(p, 'secret-issue', await issue({ ...textOf(p, 'secret-issue'), ...secret })),
    opening(p, 'merge-request', (await request('clash', `merge-request ${p.names}`)).path),
    opening(g, 'epic', `${g.at}/epics/${newEpic.iid}`),
    opening(g, 'secret-epic', `${g.at}/epics/${newSecretEpic.iid}`),
    await noted(p, await issue())('on-issue', true),
    await noted(p, await issue(secret))('on-secret-issue', true),
    await noted(p, await issue(), { internal: true })('internal-on-issue', true),
    await noted(p, await snippet('public'))('on-snippet', false),
    await noted(p, await snippet('internal'))('on-internal-snippet', false),
    await noted(p, await snippet('private'))('on-private-snippet', false),
    await noted(p, open.path, { internal: true })('internal-on-merge-request', true),
    { word: 'on-commit', path: `${threads}/${onCommit.id}`, people: p.people, hasTodos: false },
    await noted(p, await page(p))('on-page', false),
    await noted(g, await page(g))('on-page-of-group', false),
    await noted(g, `${g.at}/epics/${(await epic()).id}`)('on-epic', true),
    await noted(g, `${g.at}/epics/${(await epic(secret)).id}`)('on-secret-epic', true),
    await noted(g, `${g.at}/epics/${(await epic()).id}`, { internal: true })('internal-on-epic', true),
  ]
  return { p, g, said, namespaces: [branched.namespaceId, inGroup.id] }
}

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
        and f.name in ('issue created', 'merge request created', 'epic created', 'note created') returning id)
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
    select coalesce(x.body, i.description, m.description, e.description) as text from todos t
      left join notes x on x.id = t.note_id left join issues i on i.id = t.noteable_id
      left join merge_requests m on m.id = t.noteable_id left join epics e on e.id = t.noteable_id
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

/** How many of the 18 things everybody is told of, in the order of the roles, external users last. */
const numbers = {
  private: {
    enabled: [9, 15, 18, 18, 0, 0],
    private: [9, 15, 18, 18, 0, 0],
    disabled: [2, 5, 5, 5, 0, 0],
  },
  internal: {
    enabled: [11, 18, 18, 18, 10, 0],
    private: [11, 18, 18, 18, 2, 0],
    disabled: [2, 5, 5, 5, 2, 0],
  },
  public: {
    enabled: [11, 18, 18, 18, 10, 9],
    private: [11, 18, 18, 18, 2, 2],
    disabled: [2, 5, 5, 5, 2, 2],
  },
}

describe.each(['private', 'internal', 'public'] as const)('in %s places', (visibility) => {
  test('everybody is told what they may read, by every level of the features', async () => {
    let since = mails.received.length
    const { p, g, said, namespaces } = await make(visibility)
    const words = new Set(said.map(({ word }) => word))
    for (const level of levels) {
      // It changes nothing where nobody else reads anything.
      if (visibility === 'private' && level === 'private') continue
      if (level !== 'enabled') {
        await everybodyTold(own)
        const all = Object.fromEntries(features.map((feature) => [`${feature}_access_level`, level]))
        await created(p.owner.put(p.at, all))
        await created(g.owner.put(g.at, { wiki_access_level: level }))
        since = await tellAgain(namespaces)
      }
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
          expect({ who, level, ...(await toldTo(people[who], words, since)) }).toEqual({
            who,
            level,
            ...expected,
          })
        }
        counts.push(readable.length)
      }
      expect({ level, counts }).toEqual({ level, counts: numbers[visibility][level] })
    }
  }, 120_000)
})

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
})
