import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { onPremium, own } from '#planning/epics/test-support.ts'
import type { Answer, Client } from '#test/client.ts'
import { insertMergeRequests } from '#test/merge-requests.ts'
import type { ContainerOptions } from '#test/world.ts'

onPremium()

/** The rows of the specification's tables of notes, one for each noteable. */
const noteables = [
  { name: 'issue', type: 'Issue', path: 'issues', hasIid: true, imported: true, internal: true },
  { name: 'snippet', type: 'Snippet', path: 'snippets', hasIid: false, imported: true, internal: false },
  {
    name: 'merge request',
    type: 'MergeRequest',
    path: 'merge_requests',
    hasIid: true,
    imported: false,
    internal: true,
  },
  { name: 'epic', type: 'Epic', path: 'epics', hasIid: true, imported: true, internal: true, in: 'groups' },
  {
    name: 'wiki page',
    type: 'WikiPage::Meta',
    path: 'wiki_pages',
    hasIid: false,
    imported: true,
    internal: false,
  },
  {
    name: 'wiki page of a group',
    type: 'WikiPage::Meta',
    path: 'wiki_pages',
    hasIid: false,
    imported: true,
    internal: false,
    in: 'groups',
  },
] as const
type Kind = (typeof noteables)[number]

const isInGroup = (kind: Kind): boolean => 'in' in kind
const isWiki = ({ type }: Kind): boolean => type === 'WikiPage::Meta'

/** A container with one noteable of a kind, and its path. */
async function withOne(kind: Kind, options: ContainerOptions = {}) {
  const place = isInGroup(kind)
    ? await own.group(options).then((group) => ({ ...group, at: `/groups/${group.id}` }))
    : await own.project(options).then((project) => ({ ...project, at: `/projects/${project.id}` }))
  const at = `${place.at}/${kind.path}`
  const key = await make(kind, place)
  // Reactions to epics are the only ones below the number of the epic.
  const awarded = `${at}/${kind.name === 'epic' ? 1 : key}`
  return { ...place, collection: at, one: `${at}/${key}`, notes: `${at}/${key}/notes`, awarded }
}

async function make(
  kind: Kind,
  { id, owner, at }: { id: number; owner: Client & { id: number }; at: string },
) {
  if (kind.name === 'merge request') {
    const hash = '0'.repeat(40)
    const row = sql`insert into merge_requests (project_id, source_project_id, iid, title, author_id, source_branch, target_branch,
      head_sha, start_sha, changed_files, created_at)
      values (${id}, ${id}, 1, 'One', ${owner.id}, 'a', 'b', ${hash}, ${hash}, 0, now())`
    await insertMergeRequests(own.db, row)
    return 1
  }
  if (isWiki(kind)) {
    const { body } = await owner.post(`${at}/wikis`, { title: 'One', content: 'Text' })
    return body.wiki_page_meta_id
  }
  const more =
    kind.name === 'snippet' ? { visibility: 'public', files: [{ file_path: 'a.txt', content: 'Text' }] } : {}
  const { body } = await owner.post(`${at}/${kind.path}`, { title: 'One', ...more })
  return kind.name === 'issue' ? body.iid : body.id
}

const bodies = ({ body }: Answer) => body.map((note: { body: string }) => note.body)
const refusal = ({ status, body }: Answer) => [status, body.message]

describe.each(noteables)('notes on a $name', (kind) => {
  test('have the fields that its table names, and no others that are told apart', async () => {
    const p = await withOne(kind)
    const { status, body: note } = await p.owner.post(p.notes, { body: 'First' })
    expect([status, note]).toMatchObject([
      201,
      {
        id: expect.any(Number),
        type: null,
        body: 'First',
        author: { id: p.owner.id, username: p.owner.username, state: 'active' },
        created_at: expect.any(String),
        updated_at: expect.any(String),
        system: false,
        noteable_id: expect.any(Number),
        noteable_type: kind.type,
        noteable_iid: kind.hasIid ? 1 : null,
        project_id: isInGroup(kind) ? null : p.id,
        resolvable: false,
        confidential: false,
        internal: false,
        commands_changes: {},
      },
    ])
    expect(['imported' in note, 'imported_from' in note]).toEqual([kind.imported, kind.imported])
    expect((await p.owner.get(`${p.notes}/${note.id}`)).body).toEqual(note)
    expect((await p.owner.get(p.notes)).body).toEqual([note])
  })

  test('are listed newest first, or as sort and order_by say, in pages with a total', async () => {
    const p = await withOne(kind)
    const made: { id: number }[] = []
    for (const body of ['a', 'b', 'c']) made.push((await p.owner.post(p.notes, { body })).body)
    await p.owner.put(`${p.notes}/${made[0]?.id}`, { body: 'a2' })
    expect(bodies(await p.owner.get(p.notes))).toEqual(['c', 'b', 'a2'])
    expect(bodies(await p.owner.get(`${p.notes}?sort=asc`))).toEqual(['a2', 'b', 'c'])
    expect(bodies(await p.owner.get(`${p.notes}?order_by=updated_at`))).toEqual(['a2', 'c', 'b'])
    const page = await p.owner.get(`${p.notes}?per_page=2&page=2`)
    expect([bodies(page), page.headers.get('x-total')]).toEqual([['a2'], '3'])
    for (const wrong of ['sort=up', 'order_by=id'])
      expect((await p.owner.get(`${p.notes}?${wrong}`)).status).toBe(400)
    const people = await p.owner.get(`${p.notes}?activity_filter=only_activity`)
    expect(bodies(people)).toHaveLength(kind.name === 'issue' ? 0 : 3)
  })

  test('take a body of at most 1,000,000 characters, which nobody may leave out', async () => {
    const p = await withOne(kind)
    expect((await p.owner.post(p.notes, {})).status).toBe(400)
    expect((await p.owner.post(p.notes, { body: 'x'.repeat(1_000_001) })).status).toBe(400)
    const { body: note } = await p.owner.post(p.notes, { body: 'Text' })
    const bare = await p.owner.put(`${p.notes}/${note.id}`, {})
    expect(bare.status).toBe(kind.name === 'issue' ? 200 : 400)
    const changed = await p.owner.put(`${p.notes}/${note.id}`, { body: 'Other' })
    expect([changed.status, changed.body.body]).toEqual([200, 'Other'])
  })

  test('take created_at from owners, after 1970, where its table has it', async () => {
    const p = await withOne(kind)
    const at = '2020-02-03T04:05:06.000Z'
    const taken = !isWiki(kind)
    const made = await p.owner.post(p.notes, { body: 'Old', created_at: at })
    expect(made.body.created_at === at).toBe(taken)
    const others = await p.developer.post(p.notes, { body: 'Old', created_at: at })
    expect([others.status, others.body.created_at === at]).toEqual([201, false])
    const early = await p.owner.post(p.notes, { body: 'Old', created_at: '1969-12-31T00:00:00Z' })
    expect(early.status).toBe(taken ? 400 : 201)
  })

  test('that are internal are for planners and above, in lists, totals and discussions', async () => {
    const p = await withOne(kind, { visibility: 'public' })
    const { status, body: note } = await p.owner.post(p.notes, {
      body: 'Between us',
      internal: true,
      confidential: false,
    })
    expect([status, note.internal, note.confidential]).toEqual([201, kind.internal, kind.internal])
    await p.guest.post(p.notes, { body: 'Open' })
    for (const by of [p.guest, p.stranger]) {
      const list = await by.get(p.notes)
      const sees = kind.internal ? ['Open'] : ['Open', 'Between us']
      expect([bodies(list), list.headers.get('x-total')]).toEqual([sees, String(sees.length)])
      expect((await by.get(`${p.notes}/${note.id}`)).status).toBe(kind.internal ? 404 : 200)
      expect((await by.get(`${p.one}/discussions`)).headers.get('x-total')).toBe(String(sees.length))
      const award = await by.post(`${p.awarded}/notes/${note.id}/award_emoji`, { name: 'tada' })
      expect(award.status).toBe(kind.internal ? 404 : 201)
    }
    expect(bodies(await p.planner.get(p.notes))).toEqual(['Open', 'Between us'])
    expect((await p.guest.post(p.notes, { body: 'Mine', internal: true })).status).toBe(
      kind.internal ? 403 : 201,
    )
  })

  test('carry reactions, and an emoji alone becomes one of the noteable', async () => {
    const p = await withOne(kind)
    const { body: note } = await p.owner.post(p.notes, { body: 'Well done' })
    const awards = `${p.awarded}/notes/${note.id}/award_emoji`
    expect((await p.developer.post(awards, { name: 'tada' })).body).toMatchObject({
      name: 'tada',
      awardable_id: note.id,
      awardable_type: 'Note',
    })
    expect((await p.owner.get(awards)).body).toHaveLength(1)
    const alone = await p.developer.post(p.notes, { body: ':heart:' })
    expect([alone.status, alone.body]).toMatchObject([201, { name: 'heart', awardable_type: kind.type }])
    expect(bodies(await p.owner.get(p.notes))).toEqual(['Well done'])
  })

  test('form discussions', async () => {
    const p = await withOne(kind)
    const path = `${p.one}/discussions`
    const { status, body: thread } = await p.owner.post(path, { body: 'First' })
    expect([status, thread]).toMatchObject([
      201,
      { individual_note: false, notes: [{ body: 'First', type: 'DiscussionNote' }] },
    ])
    await p.developer.post(`${path}/${thread.id}/notes`, { body: 'Second' })
    const { body: list } = await p.owner.get(path)
    expect(list).toHaveLength(1)
    expect(list[0].notes.map(({ body }: { body: string }) => body)).toEqual(['First', 'Second'])
    expect(bodies(await p.owner.get(`${p.notes}?sort=asc`))).toEqual(['First', 'Second'])
  })

  test('can be changed and deleted by their author and by maintainers, and are gone then', async () => {
    const p = await withOne(kind)
    const { body: note } = await p.developer.post(p.notes, { body: 'First' })
    expect((await p.reporter.put(`${p.notes}/${note.id}`, { body: 'Other' })).status).toBe(403)
    for (const by of [p.developer, p.maintainer])
      expect((await by.put(`${p.notes}/${note.id}`, { body: 'Mine' })).body.body).toBe('Mine')
    expect((await p.reporter.delete(`${p.notes}/${note.id}`)).status).toBe(403)
    expect((await p.maintainer.delete(`${p.notes}/${note.id}`)).status).toBe(204)
    expect((await p.developer.get(`${p.notes}/${note.id}`)).status).toBe(404)
    expect((await p.developer.delete(`${p.notes}/${note.id}`)).status).toBe(404)
  })

  test('are found under what is there, and a 404 names what is not', async () => {
    const p = await withOne(kind)
    expect(refusal(await p.owner.get(`${p.collection}/999999999/notes`))).toEqual([
      404,
      `404 ${kind.type} Not Found`,
    ])
    expect(refusal(await p.owner.post(`${p.collection}/999999999/notes`, { body: 'x' }))).toEqual([
      404,
      `404 ${kind.type} Not Found`,
    ])
    expect((await p.owner.get(`${p.notes}/999999999`)).status).toBe(404)
  })

  test('are hidden with a private container: notes, discussions, reactions, and totals', async () => {
    const p = await withOne(kind)
    const { body: note } = await p.owner.post(p.notes, { body: 'Secret' })
    await p.owner.post(`${p.awarded}/notes/${note.id}/award_emoji`, { name: 'tada' })
    const { client: narrow } = await own.token(p.owner, ['read_user'])
    const { client: reading } = await own.token(p.owner, ['read_api'])
    const paths = [
      p.notes,
      `${p.notes}/${note.id}`,
      `${p.one}/discussions`,
      `${p.awarded}/award_emoji`,
      `${p.awarded}/notes/${note.id}/award_emoji`,
    ]
    // Guests of a private project read no code, and so no merge requests.
    const guest = kind.name === 'merge request' ? 403 : 200
    const cases: [who: string, by: Client, status: number][] = [
      ['a stranger', p.stranger, 404],
      ['a guest', p.guest, guest],
      ['a reporter', p.reporter, 200],
      ['an administrator', own.root, 200],
      ['a token without the scope', narrow, 403],
      ['a token that reads', reading, 200],
    ]
    for (const path of paths) {
      for (const [who, by, status] of cases) {
        const answer = await by.get(path)
        expect({ who, path, status: answer.status }).toEqual({ who, path, status })
        if (status !== 200) expect(answer.text).not.toContain('Secret')
      }
      expect([401, 404]).toContain((await own.anonymous.get(path)).status)
    }
    const reply = await reading.post(p.notes, { body: 'x' })
    expect(reply.status).toBe(403)
  })
})

/** What closes a noteable to those who are no members: the level of its feature, or that it is confidential. */
const levelOf = {
  issue: 'issues_access_level',
  snippet: 'snippets_access_level',
  'merge request': 'merge_requests_access_level',
  epic: 'confidential',
  'wiki page': 'wiki_access_level',
  'wiki page of a group': 'wiki_access_level',
} as const

type Visibility = (typeof visibilities)[number]
type Level = 'enabled' | 'private' | 'disabled'
const visibilities = ['private', 'internal', 'public'] as const

/** Whether somebody reads it, said without the rules of the program. */
function reads({ name }: Kind, who: string, visibility: Visibility, level: Level): boolean {
  if (level === 'disabled') return false
  if (who === 'reporter') return true
  if (who === 'guest') {
    // Guests of a private project read no code, and none reads what is confidential.
    if (name === 'merge request') return visibility !== 'private'
    return name !== 'epic' || level === 'enabled'
  }
  if (level === 'private') return false
  return visibility === 'public' || (visibility === 'internal' && who === 'stranger')
}

describe.each(noteables)('what is on a $name', (kind) => {
  const levels =
    kind.name === 'epic' ? (['enabled', 'private'] as const) : (['enabled', 'private', 'disabled'] as const)

  test.each(visibilities)(
    'in a %s place is for those who may read it, by every level',
    async (visibility) => {
      const external = await own.user({ external: true })
      const open = await own.project({ visibility: 'public' })
      const mentioned = `/projects/${open.id}/issues/1`
      await open.owner.post(`/projects/${open.id}/issues`, { title: 'Named' })
      const p = await withOne(kind, { visibility })
      const { body: note } = await p.owner.post(p.notes, { body: `Secret, see ${open.fullPath}#1` })
      await p.owner.post(`${p.awarded}/notes/${note.id}/award_emoji`, { name: 'tada' })
      const lists = [p.notes, `${p.one}/discussions`]
      const awards = [`${p.awarded}/notes/${note.id}/award_emoji`]
      const { reporter, guest, stranger } = p
      const people: Record<string, Client> = {
        reporter,
        guest,
        stranger,
        external,
        nobody: own.anonymous,
      }
      for (const level of levels) {
        const [at, value] = kind.name === 'epic' ? [`${p.collection}/1`, level === 'private'] : [p.at, level]
        expect((await own.root.put(at, { [levelOf[kind.name]]: value })).status).toBe(200)
        for (const [who, by] of Object.entries(people)) {
          const may = reads(kind, who, visibility, level)
          for (const path of [...lists, ...awards]) {
            const { status, text, headers } = await by.get(path)
            const cell = { who, level, path }
            // Nobody reads notes without an account, nor anything of epics.
            const here = may && (who !== 'nobody' || (kind.name !== 'epic' && awards.includes(path)))
            expect({ ...cell, reads: status === 200 }).toEqual({ ...cell, reads: here })
            if (!here) expect(text).not.toContain('Secret')
            if (here && lists.includes(path)) expect(Number(headers.get('x-total'))).toBeGreaterThan(0)
          }
          if (who === 'nobody') continue
          for (const path of [`${mentioned}/notes`, `${mentioned}/discussions`]) {
            const { text, headers } = await by.get(path)
            const told = { who, level, path, mention: may, total: may ? '1' : '0' }
            const mention = text.includes('mentioned in')
            expect({ who, level, path, mention, total: headers.get('x-total') }).toEqual(told)
          }
        }
      }
    },
  )
})
