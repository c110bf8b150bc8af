import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { visibleTo } from '#platform/access/visible.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { type Fact, record } from '#platform/facts/record.ts'
import { text } from '#platform/http/schema.ts'
import { handOverAwards } from '#planning/award-emoji/hand-over-awards.ts'
import { deleteNotesOf } from '#planning/notes/delete-notes-of.ts'
import type { Client } from '#test/client.ts'
import { clock } from '#test/clock.ts'
import { openWorld, type Place, unique, type World } from '#test/world.ts'
import { inGroups } from './containers.ts'
import { readFacts } from './fact-reader.ts'
import { insertNoteables } from './insert-noteables.ts'
import type { NoteableKind } from './kind.ts'
import { kindsOfNoteables } from './kinds.ts'

// A kind that the program does not have: poems, which belong to groups and are found by a text. Nothing of it is in src.

const poems: NoteableKind = {
  name: 'poem',
  type: 'Poem',
  noun: 'poem',
  title: 'a poem',
  table: 'poems',
  container: inGroups({
    read: 'read_milestone',
    createNote: 'subscribe_label',
    award: 'subscribe_label',
    readInternalNotes: 'admin_milestone',
    adminNotes: 'create_subgroup',
    setCreatedAt: 'archive_group',
  }),
  segment: 'poems',
  key: { param: 'poem_slug', schema: text({ max: 100, filled: true }) },
  notes: {
    fields: { iid: false, imported: true, commands: false },
    list: ['activity_filter'],
    create: ['internal', 'created_at'],
    update: { bodyRequired: true, confidential: true },
  },
  countsVotes: true,
  rows: {
    seesRestricted: () => true,
    select: ({ container, key }) => sql`
      select id, null::integer as iid, locked, true as open from poems where group_id = ${container} and slug = ${key}`,
  },
  visibleTo: (viewer, id) => sql<boolean>`exists (
    select 1 from poems o join namespaces og on og.id = o.group_id where o.id = ${id} and ${visibleTo('og', viewer)})`,
  text: (id) => sql`select words as text from poems where id = ${id}`,
  reference: ({ key }) => `*${key}`,
  systemNotes: readFacts(['issue retitled'], ({ details }) => ({ body: `was called ${details.from}` })),
  resourceEvents: {
    lists: ['state'],
    of: readFacts(['issue closed'], () => [{ kind: 'state', state: 'finished' }]),
  },
}

let own: World
const registered = kindsOfNoteables.add(poems)

beforeAll(async () => {
  own = await openWorld()
  await sql`
    create table poems (
      id bigint primary key default nextval('noteables_id_seq') references noteables (id) on delete cascade,
      group_id bigint not null references namespaces (id) on delete cascade,
      slug text not null,
      words text not null,
      locked boolean not null default false,
      upvotes integer not null default 0,
      downvotes integer not null default 0,
      unique (group_id, slug)
    )`.execute(own.db)
})
afterAll(async () => {
  registered[Symbol.dispose]()
  await own.running.stop()
})

/** A poem of a group, by its key there. */
async function write(
  group: { id: number },
  slug: string,
  words = 'O wild west wind',
): Promise<{ id: number }> {
  const { rows } = await sql<{ id: number }>`
    with poem as (insert into poems (group_id, slug, words) values (${group.id}, ${slug}, ${words}) returning id),
      noteable as ${insertNoteables('poem', { kind: 'poem', namespaceId: group.id, updatedAt: clock.now().toISOString() })}
    select id from poem`.execute(own.db)
  const [poem] = rows
  if (poem === undefined) throw new Error('no poem was written')
  return poem
}

/** A group with a poem, and where its notes are. */
async function withPoem(visibility: Visibility = 'private') {
  const group = await own.group({ visibility })
  const poem = await write(group, 'to the wind')
  return { ...group, poem, path: `/groups/${group.encoded}/poems/to%20the%20wind` }
}

async function counted({ poem }: { poem: { id: number } }): Promise<number[]> {
  const { rows } = await sql<Record<'notes' | 'internal' | 'up' | 'down', number>>`
    select notes_count as notes, internal_notes_count as internal, upvotes as up, downvotes as down
    from poems join noteables using (id) where id = ${poem.id}`.execute(own.db)
  return rows.flatMap(({ notes, internal, up, down }) => [notes, internal, up, down])
}

const bodies = ({ body }: { body: { body: string }[] }) => body.map((note) => note.body)

describe('notes', () => {
  test('are written, listed, changed and deleted', async () => {
    const p = await withPoem()
    const made = await p.guest.post(`${p.path}/notes`, { body: 'Thou breath of Autumn’s being' })
    expect(made).toMatchObject({
      status: 201,
      body: {
        noteable_type: 'Poem',
        noteable_id: p.poem.id,
        noteable_iid: null,
        project_id: null,
        system: false,
      },
    })
    expect(made.body).not.toHaveProperty('commands_changes')
    await p.planner.post(`${p.path}/notes`, { body: 'Between us', internal: true })
    expect(await counted(p)).toEqual([1, 1, 0, 0])
    expect(bodies(await p.planner.get(`${p.path}/notes?sort=asc`))).toEqual([
      'Thou breath of Autumn’s being',
      'Between us',
    ])
    expect(bodies(await p.guest.get(`${p.path}/notes`))).toEqual(['Thou breath of Autumn’s being'])
    const note = `${p.path}/notes/${made.body.id}`
    expect((await p.guest.put(note, { body: 'Better' })).body.body).toBe('Better')
    expect((await p.reporter.put(note, { body: 'Worse' })).status).toBe(403)
    expect((await p.maintainer.delete(note)).status).toBe(204)
    expect(await counted(p)).toEqual([0, 1, 0, 0])
  })

  test('are not found below what is not there', async () => {
    const p = await withPoem()
    expect(await p.guest.get(`/groups/${p.encoded}/poems/unknown/notes`)).toMatchObject({
      status: 404,
      body: { message: '404 Poem Not Found' },
    })
    const other = await own.group()
    expect((await other.guest.get(`/groups/${other.encoded}/poems/to%20the%20wind/notes`)).status).toBe(404)
  })

  test('keep commands as text, for a poem has none', async () => {
    const p = await withPoem()
    const { status, body } = await p.owner.post(`${p.path}/notes`, { body: '/close' })
    expect([status, body.body]).toEqual([201, '/close'])
  })

  test('are for members alone where the discussion is locked', async () => {
    const p = await withPoem('public')
    await sql`update poems set locked = true where id = ${p.poem.id}`.execute(own.db)
    expect((await p.stranger.post(`${p.path}/notes`, { body: 'No' })).status).toBe(403)
    expect((await p.guest.post(`${p.path}/notes`, { body: 'Yes' })).status).toBe(201)
  })

  test('of somebody go in batches, and are counted off', async () => {
    const p = await withPoem()
    for (const body of ['one', 'two', 'three']) await p.guest.post(`${p.path}/notes`, { body })
    expect(await own.write((tx) => deleteNotesOf(tx, p.guest.id, 2))).toBe(2)
    expect(await counted(p)).toEqual([1, 0, 0, 0])
  })

  test('go with what they are on, and with its group', async () => {
    const p = await withPoem()
    const { id } = await write(p, 'another')
    for (const slug of ['another', 'to%20the%20wind'])
      await p.guest.post(`/groups/${p.encoded}/poems/${slug}/notes`, { body: 'Hear' })
    const left = async () =>
      (await own.db.selectFrom('notes').select('id').where('author_id', '=', p.guest.id).execute()).length
    await own.db.deleteFrom('noteables').where('id', '=', id).execute()
    expect(await left()).toBe(1)
    await p.owner.delete(`/groups/${p.encoded}`)
    await expect.poll(left).toBe(0)
  })
})

test('discussions are started, replied to and listed', async () => {
  const p = await withPoem()
  const { status, body: discussion } = await p.guest.post(`${p.path}/discussions`, { body: 'Who wrote it?' })
  expect([status, discussion.individual_note]).toEqual([201, false])
  const path = `${p.path}/discussions/${discussion.id}`
  const reply = await p.reporter.post(`${path}/notes`, { body: 'Shelley' })
  expect(reply).toMatchObject({ status: 201, body: { type: 'DiscussionNote', noteable_type: 'Poem' } })
  expect((await p.guest.get(`${p.path}/discussions`)).body).toMatchObject([
    { id: discussion.id, notes: [{ body: 'Who wrote it?' }, { body: 'Shelley' }] },
  ])
  expect((await p.reporter.put(`${path}/notes/${reply.body.id}`, { body: 'P. B. Shelley' })).status).toBe(200)
  expect((await p.reporter.delete(`${path}/notes/${reply.body.id}`)).status).toBe(204)
  expect((await p.guest.get(path)).body.notes).toHaveLength(1)
})

test('awards are given to it and to notes on it, and taken back', async () => {
  const p = await withPoem('public')
  const { body: note } = await p.guest.post(`${p.path}/notes`, { body: 'Oh' })
  for (const on of [p.path, `${p.path}/notes/${note.id}`]) {
    const given = await p.stranger.post(`${on}/award_emoji`, { name: 'thumbsup' })
    expect(given.status).toBe(201)
    expect((await p.anonymous.get(`${on}/award_emoji`)).body).toMatchObject([
      { id: given.body.id, name: 'thumbsup' },
    ])
  }
  expect((await p.guest.post(`${p.path}/notes`, { body: ':thumbsdown:' })).body).toMatchObject({
    name: 'thumbsdown',
    awardable_id: p.poem.id,
    awardable_type: 'Poem',
  })
  expect(await counted(p)).toEqual([1, 0, 1, 1])
  const [mine] = (await p.guest.get(`${p.path}/award_emoji?per_page=1`)).body
  expect((await p.stranger.delete(`${p.path}/award_emoji/${mine.id}`)).status).toBe(204)
  expect(await counted(p)).toEqual([1, 0, 0, 1])
  await own.write((tx) => handOverAwards(tx, p.guest.id, null))
  expect(await counted(p)).toEqual([1, 0, 0, 0])
})

describe('mentions', () => {
  const named = async (poem: { id: number }) =>
    (await own.db.selectFrom('user_mentions').select('user_id').where('noteable_id', '=', poem.id).execute())
      .map(({ user_id }) => user_id)
      .toSorted((a, b) => a - b)

  test('keep who may read it and is named', async () => {
    const p = await withPoem()
    await p.owner.post(`${p.path}/notes`, {
      body: `@${p.developer.username}, @${p.stranger.username}: listen`,
    })
    expect(await named(p.poem)).toEqual([p.developer.id])
  })

  test('of a group keep its members, a moment later', async () => {
    const p = await withPoem()
    const team = await own.group({ visibility: 'public' })
    await own.member(p.id, team.planner, 10)
    await p.owner.post(`${p.path}/notes`, { body: `@${team.fullPath}: listen` })
    await expect.poll(() => named(p.poem)).toEqual([team.planner.id])
  })

  test('of an issue are noted there, for those who see the poem', async () => {
    const p = await withPoem()
    const project = await own.project({ visibility: 'public' })
    const issue = `/projects/${project.id}/issues`
    const { body: made } = await project.owner.post(issue, { title: 'Too long' })
    await own.member(p.id, project.reporter, 20)
    await project.reporter.post(`${p.path}/notes`, { body: `As in ${project.fullPath}#${made.iid}` })
    const notes = `${issue}/${made.iid}/notes`
    expect(bodies(await project.reporter.get(notes))).toEqual([`mentioned in poem ${p.fullPath}*to the wind`])
    expect(bodies(await project.owner.get(notes))).toEqual([])
  })
})

test('facts leave resource events and system notes', async () => {
  const p = await withPoem()
  const about = { namespace: p.id, target: { type: 'Poem', id: p.poem.id } }
  const facts: Fact[] = [
    { ...about, name: 'issue closed', details: {} },
    { ...about, name: 'issue retitled', details: { from: 'The storm', to: 'The wind' } },
    // An issue's own: nothing of a poem.
    { ...about, name: 'issue description changed', details: {} },
  ]
  await own.write(async (tx) => record(tx, ...facts), p.owner)
  const events = `${p.path}/resource_state_events`
  const { body } = await p.guest.get(events)
  expect(body).toMatchObject([
    { state: 'finished', resource_type: 'Poem', resource_id: p.poem.id, user: { id: p.owner.id } },
  ])
  expect((await p.guest.get(`${events}/${body[0].id}`)).body).toEqual(body[0])
  expect((await p.guest.get(`${p.path}/resource_weight_events`)).status).toBe(404)
  expect((await p.guest.get(`${p.path}/notes?activity_filter=only_activity`)).body).toMatchObject([
    { body: 'was called The storm', system: true, author: { id: p.owner.id } },
  ])
})

describe('rights', () => {
  const roles = [
    'guest',
    'planner',
    'reporter',
    'securityManager',
    'developer',
    'maintainer',
    'owner',
    'admin',
  ] as const

  /** What each caller gets from a request, everybody from one of their own. */
  async function statuses(p: Place, request: (by: Client) => Promise<{ status: number }>) {
    const external = await own.user({ external: true })
    const callers: [string, Client][] = [
      ...roles.map((role): [string, Client] => [role, p[role]]),
      ['stranger', p.stranger],
      ['external', external],
      ['nobody', p.anonymous],
    ]
    const answers = await Promise.all(
      callers.map(async ([name, by]): Promise<[string, number]> => [name, (await request(by)).status]),
    )
    return Object.fromEntries(answers)
  }

  const members = (status: number) => Object.fromEntries(roles.map((role) => [role, status]))
  const outside = { private: [404, 404], internal: [0, 404], public: [0, 0] } as const

  test.each(['private', 'internal', 'public'] as const)(
    'in a %s group are those of its readers',
    async (visibility) => {
      const p = await withPoem(visibility)
      const [stranger, external] = outside[visibility]
      const expected = (status: number) => ({
        ...members(status),
        stranger: stranger || status,
        external: external || status,
        nobody: 401,
      })
      for (const list of ['notes', 'discussions', 'resource_state_events'])
        expect(await statuses(p, (by) => by.get(`${p.path}/${list}`))).toEqual(expected(200))
      for (const list of ['notes', 'discussions'])
        expect(await statuses(p, (by) => by.post(`${p.path}/${list}`, { body: unique('Hear') }))).toEqual(
          expected(201),
        )
      expect(await statuses(p, (by) => by.post(`${p.path}/award_emoji`, { name: 'tada' }))).toEqual(
        expected(201),
      )
      const awards = { ...expected(200), nobody: visibility === 'public' ? 200 : 404 }
      expect(await statuses(p, (by) => by.get(`${p.path}/award_emoji`))).toEqual(awards)
    },
  )

  test.each(['private', 'internal', 'public'] as const)(
    'to internal notes in a %s group begin with Planner',
    async (visibility) => {
      const p = await withPoem(visibility)
      const { body } = await p.owner.post(`${p.path}/notes`, { body: 'Between us', internal: true })
      const [stranger, external] = outside[visibility]
      const expected = (status: number, refusal: number) => ({
        ...members(status),
        guest: refusal,
        stranger: stranger || refusal,
        external: external || refusal,
        nobody: 401,
      })
      expect(await statuses(p, (by) => by.get(`${p.path}/notes/${body.id}`))).toEqual(expected(200, 404))
      const note = { body: 'Between us', internal: true }
      expect(await statuses(p, (by) => by.post(`${p.path}/notes`, note))).toEqual(expected(201, 403))
    },
  )
})
