import { describe, expect, test } from 'vitest'
import type { Answer } from '#test/client.ts'
import { w } from '#test/world.ts'
import { issueNoteable } from '#planning/issues/noteable.ts'
import { awardableNoteable } from './awardables.ts'
import { giveAward } from './give-award.ts'

type Place = Awaited<ReturnType<typeof w.project>>

/** A project with an issue by its reporter, and the path of the issue. */
async function withIssue(issue: object = {}, visibility: 'public' | 'private' = 'public') {
  const p = await w.project({ visibility })
  const { body } = await p.reporter.post(`/projects/${p.id}/issues`, { title: 'It breaks', ...issue })
  const path = `/projects/${p.id}/issues/${body.iid}`
  return { ...p, issue: body, path, awards: `${path}/award_emoji` }
}

/** The path of the awards on a new note, by the reporter. */
async function withNote(
  { path, issue, reporter }: Awaited<ReturnType<typeof withIssue>>,
  given: object = {},
) {
  const { id } = await w.db
    .insertInto('notes')
    .values({
      noteable_id: issue.id,
      author_id: reporter.id,
      body: 'A comment',
      discussion_id: Buffer.alloc(20, 1),
      starts_discussion: true,
      created_at: issue.created_at,
      updated_at: issue.created_at,
      ...given,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, awards: `${path}/notes/${id}/award_emoji` }
}

const names = ({ body }: Answer): string[] => body.map(({ name }: { name: string }) => name)
const refusal = ({ status, body }: Answer) => [status, body.message]
const votes = async ({ path, admin }: { path: string; admin: Place['admin'] }) => {
  const { body } = await admin.get(path)
  return [body.upvotes, body.downvotes]
}

describe('POST …/award_emoji', () => {
  test('gives an award with every field of the resource', async () => {
    const p = await withIssue()
    w.clock.hold('2031-02-03T04:05:06.789Z')
    const { status, body } = await p.guest.post(p.awards, { name: 'rocket' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'rocket',
      user: expect.objectContaining({ id: p.guest.id, username: p.guest.username, state: 'active' }),
      created_at: '2031-02-03T04:05:06.789Z',
      updated_at: '2031-02-03T04:05:06.789Z',
      awardable_id: p.issue.id,
      awardable_type: 'Issue',
      url: null,
    })
  })

  test('gives one to a note, which changes the note but not the issue', async () => {
    const p = await withIssue()
    const note = await withNote(p)
    w.clock.hold('2031-02-03T04:05:06.789Z')
    const { status, body } = await p.guest.post(note.awards, { name: 'heart' })
    expect([status, body.awardable_type, body.awardable_id]).toEqual([201, 'Note', note.id])
    const { updated_at } = await w.db
      .selectFrom('notes')
      .select('updated_at')
      .where('id', '=', note.id)
      .executeTakeFirstOrThrow()
    expect(updated_at).toBe('2031-02-03 04:05:06.789+00')
    expect((await p.guest.get(p.path)).body.updated_at).toBe(p.issue.updated_at)
    expect(names(await p.guest.get(p.awards))).toEqual([])
    expect(names(await p.guest.get(note.awards))).toEqual(['heart'])
  })

  test('knows aliases, and keeps the name', async () => {
    const p = await withIssue()
    expect((await p.guest.post(p.awards, { name: '+1' })).body.name).toBe('thumbsup')
    expect((await p.guest.post(p.awards, { name: '-1' })).body.name).toBe('thumbsdown')
  })

  test('is counted as a vote on the issue, not on its notes', async () => {
    const p = await withIssue()
    const note = await withNote(p)
    await p.guest.post(p.awards, { name: 'thumbsup' })
    await p.planner.post(p.awards, { name: 'thumbsup' })
    await p.owner.post(p.awards, { name: 'thumbsdown' })
    await p.owner.post(p.awards, { name: 'rocket' })
    await p.owner.post(note.awards, { name: 'thumbsup' })
    expect(await votes(p)).toEqual([2, 1])
    const down = (await p.owner.get(p.awards)).body.find(
      ({ name }: { name: string }) => name === 'thumbsdown',
    )
    await p.owner.delete(`${p.awards}/${down.id}`)
    expect(await votes(p)).toEqual([2, 0])
  })

  test('counts 20 users at once, and one of them once', async () => {
    const p = await withIssue()
    const users = await Promise.all(Array.from({ length: 20 }, () => w.user()))
    const all = await Promise.all(users.map((user) => user.post(p.awards, { name: 'thumbsup' })))
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([201]))
    expect(await votes(p)).toEqual([20, 0])
    const same = await Promise.all(users.map(() => p.owner.post(p.awards, { name: '+1' })))
    expect(same.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(await votes(p)).toEqual([21, 0])
    const back = await Promise.all(
      all.flatMap(({ body }) => [w.root, w.root].map((root) => root.delete(`${p.awards}/${body.id}`))),
    )
    expect(back.filter(({ status }) => status === 204)).toHaveLength(20)
    expect(back.filter(({ status }) => status === 404)).toHaveLength(20)
    expect(await votes(p)).toEqual([1, 0])
  })

  test('refuses what was given already, and what is no emoji', async () => {
    const p = await withIssue()
    const note = await withNote(p)
    for (const awards of [p.awards, note.awards]) {
      await p.guest.post(awards, { name: 'thumbsup' })
      expect(refusal(await p.guest.post(awards, { name: '+1' }))).toEqual([
        404,
        '404 Award Emoji Name has already been taken Not Found',
      ])
      for (const name of ['nope', ':heart:', '__proto__', 'x'.repeat(255)]) {
        expect(refusal(await p.guest.post(awards, { name }))).toEqual([
          404,
          '404 Award Emoji Name is not a valid emoji name Not Found',
        ])
      }
      expect((await p.guest.post(awards)).body.error).toBe('name is missing')
      expect((await p.guest.post(awards, { name: '' })).status).toBe(400)
      expect((await p.guest.post(awards, { name: 'x'.repeat(256) })).status).toBe(400)
    }
  })

  test('refuses records of the system', async () => {
    const p = await withIssue()
    await p.reporter.put(p.path, { title: 'It broke' })
    const { id } = await w.db
      .selectFrom('notes')
      .select('id')
      .where('noteable_id', '=', p.issue.id)
      .executeTakeFirstOrThrow()
    const awards = `${p.path}/notes/${id}/award_emoji`
    expect(refusal(await p.owner.post(awards, { name: 'tada' }))).toEqual([
      404,
      '404 Award Emoji Awardable cannot be awarded emoji Not Found',
    ])
    expect((await p.owner.get(awards)).body).toEqual([])
  })

  test('is for members where the discussion is locked', async () => {
    const p = await withIssue()
    const note = await withNote(p)
    await p.owner.put(p.path, { discussion_locked: true })
    for (const awards of [p.awards, note.awards]) {
      expect((await p.stranger.post(awards, { name: 'tada' })).status).toBe(403)
      expect((await p.guest.post(awards, { name: 'tada' })).status).toBe(201)
      expect((await p.admin.post(awards, { name: 'tada' })).status).toBe(201)
    }
  })

  test('can be given by other features, to an issue as they have it', async () => {
    const p = await withIssue()
    await w.write((tx) =>
      giveAward(
        tx,
        awardableNoteable(issueNoteable, { id: p.issue.id, namespace_id: p.namespaceId }),
        'thumbsup',
      ),
    )
    expect(await votes(p)).toEqual([1, 0])
  })

  test('is recorded', async () => {
    const p = await withIssue()
    const { body } = await p.guest.post(p.awards, { name: '+1' })
    await p.guest.delete(`${p.awards}/${body.id}`)
    const facts = await w.db
      .selectFrom('facts')
      .select(['name', 'actor_id', 'details'])
      .where('target_type', '=', 'Issue')
      .where('target_id', '=', p.issue.id)
      .where('name', 'like', 'award%')
      .orderBy('id')
      .execute()
    const common = { actor_id: p.guest.id, details: { emoji: 'thumbsup', award_id: expect.any(Number) } }
    expect(facts).toEqual([
      { ...common, name: 'award emoji given' },
      { ...common, name: 'award emoji taken back' },
    ])
  })
})

describe('GET …/award_emoji', () => {
  test('lists the oldest first, in pages', async () => {
    const p = await withIssue()
    for (const name of ['tada', 'heart', 'eyes']) await p.guest.post(p.awards, { name })
    const first = await p.anonymous.get(`${p.awards}?per_page=2`)
    expect(names(first)).toEqual(['tada', 'heart'])
    expect(first.headers.get('x-total')).toBe('3')
    expect(names(await p.anonymous.get(`${p.awards}?per_page=2&page=2`))).toEqual(['eyes'])
    expect((await p.anonymous.get(`${p.awards}?pagination=keyset`)).status).toBe(405)
  })

  test('takes 2 statements on an issue and 3 on a note, for one and for a page', async () => {
    const p = await withIssue()
    const note = await withNote(p)
    const users = await Promise.all(Array.from({ length: 5 }, () => w.user()))
    for (const [awards, statements] of [
      [p.awards, 2],
      [note.awards, 3],
    ] as const) {
      for (const user of users) await user.post(awards, { name: 'tada' })
      const { body } = await p.guest.get(awards)
      expect(await w.statements(() => p.guest.get(`${awards}?per_page=100`))).toHaveLength(statements)
      expect(await w.statements(() => p.guest.get(`${awards}/${body[0].id}`))).toHaveLength(statements)
    }
  })

  test('shows nothing of what the caller may not see', async () => {
    const p = await withIssue({ confidential: true })
    const note = await withNote(p)
    await p.reporter.post(p.awards, { name: 'tada' })
    for (const [awards, who] of [
      [p.awards, p.guest],
      [note.awards, p.guest],
      [p.awards, p.anonymous],
    ] as const) {
      expect(refusal(await who.get(awards))).toEqual([404, '404 Issue Not Found'])
      expect(refusal(await who.get(`${awards}/1`))).toEqual([404, '404 Issue Not Found'])
    }
    expect(refusal(await p.guest.post(p.awards, { name: 'eyes' }))).toEqual([404, '404 Issue Not Found'])
  })

  test('knows no internal notes to others, but to their author', async () => {
    const p = await withIssue()
    const note = await withNote(p, { internal: true, author_id: p.guest.id })
    expect((await p.guest.post(note.awards, { name: 'eyes' })).status).toBe(201)
    expect(names(await p.planner.get(note.awards))).toEqual(['eyes'])
    for (const who of [p.stranger, p.anonymous]) {
      expect(refusal(await who.get(note.awards))).toEqual([404, '404 Note Not Found'])
    }
    expect(refusal(await p.stranger.post(note.awards, { name: 'eyes' }))).toEqual([404, '404 Note Not Found'])
  })

  test('answers 404 for what is not there or belongs elsewhere', async () => {
    const [p, other] = [await withIssue(), await withIssue()]
    const note = await withNote(other)
    const { body } = await other.guest.post(other.awards, { name: 'tada' })
    const elsewhere = `${p.path}/notes/${note.id}/award_emoji`
    expect(refusal(await p.guest.get(`/projects/${p.id}/issues/99/award_emoji`))).toEqual([
      404,
      '404 Issue Not Found',
    ])
    expect(refusal(await p.guest.get(elsewhere))).toEqual([404, '404 Note Not Found'])
    expect(refusal(await p.guest.post(elsewhere, { name: 'tada' }))).toEqual([404, '404 Note Not Found'])
    for (const path of [
      `${p.awards}/${body.id}`,
      `${p.awards}/9007199254740991`,
      `${other.path}/notes/${note.id}/award_emoji/${body.id}`,
    ]) {
      expect(refusal(await p.guest.get(path))).toEqual([404, '404 Award Emoji Not Found'])
      expect(refusal(await p.admin.delete(path))).toEqual([404, '404 Award Emoji Not Found'])
    }
    expect((await p.guest.get(`${p.awards}/x`)).status).toBe(400)
  })
})

describe('DELETE …/award_emoji/:award_id', () => {
  test('takes back your own award, and for administrators that of anybody', async () => {
    const p = await withIssue()
    const mine = await p.guest.post(p.awards, { name: 'tada' })
    const path = `${p.awards}/${mine.body.id}`
    expect((await p.owner.delete(path)).status).toBe(403)
    expect((await p.guest.delete(path)).status).toBe(204)
    expect((await p.guest.delete(path)).status).toBe(404)
    const again = await p.guest.post(p.awards, { name: 'tada' })
    expect((await p.admin.delete(`${p.awards}/${again.body.id}`)).status).toBe(204)
    expect((await p.guest.get(p.awards)).body).toEqual([])
  })

  test('keeps one that is younger than the caller says', async () => {
    const p = await withIssue()
    const { body } = await p.guest.post(p.awards, { name: 'tada' })
    const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' }
    expect((await p.guest.delete(`${p.awards}/${body.id}`, undefined, { headers })).status).toBe(412)
  })
})
