import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Answer } from '#test/client.ts'
import { lockWaiters } from '#test/lock-waiters.ts'
import { w } from '#test/world.ts'
import { issueIdentity } from '#planning/issues/identity.ts'
import { removeLater } from '#planning/noteables/remove-later.ts'
import { deleteNotesOf } from './delete-notes-of.ts'
import { bodies, countFor, ids, withIssue } from './test-support.ts'

describe('POST /projects/:id/issues/:issue_iid/notes', () => {
  test('writes a note with every field of the resource', async () => {
    const p = await withIssue()
    const { status, body } = await p.guest.post(p.path, { body: 'Me *too*' })
    expect(status).toBe(201)
    const { body: user } = await p.guest.get('/user')
    expect(body).toEqual({
      id: expect.any(Number),
      type: null,
      body: 'Me *too*',
      attachment: null,
      author: {
        id: p.guest.id,
        username: p.guest.username,
        name: p.guest.username,
        email: user.email,
        public_email: null,
        state: 'active',
        locked: false,
        avatar_url: null,
        web_url: `${w.url}/${p.guest.username}`,
        created_at: user.created_at,
      },
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.created_at,
      system: false,
      noteable_id: p.issue.id,
      noteable_type: 'Issue',
      noteable_iid: p.issue.iid,
      project_id: p.id,
      resolvable: false,
      confidential: false,
      internal: false,
      imported: false,
      imported_from: 'none',
      commands_changes: {},
    })
    expect((await p.guest.get(`${p.path}/${body.id}`)).body).toEqual(body)
    expect((await p.guest.get(p.path)).body).toEqual([body])
  })

  test('counts on the issue and moves its updated_at and the activity of the project', async () => {
    const p = await withIssue()
    w.clock.hold('2030-01-01T00:00:00.000Z')
    await p.guest.post(p.path, { body: 'x' })
    const { body } = await p.guest.get(p.issuePath)
    expect(body).toMatchObject({ user_notes_count: 1, updated_at: '2030-01-01T00:00:00.000Z' })
    expect((await p.guest.get(`/projects/${p.id}`)).body.last_activity_at).toBe('2030-01-01T00:00:00.000Z')
  })

  test('needs a body with more than space in it', async () => {
    const p = await withIssue()
    expect((await p.guest.post(p.path, {})).body).toEqual({
      message: '400 (Bad request) "body" not given',
      error: 'body is missing',
    })
    for (const body of ['', ' \n\t'])
      expect(await p.guest.post(p.path, { body })).toMatchObject({
        status: 400,
        body: { error: 'body is empty' },
      })
    expect((await p.guest.post(p.path, { body: 'a\0b' })).status).toBe(400)
    expect((await p.guest.post(p.path, { body: ['x'] })).status).toBe(400)
  })

  test('takes a million characters, however many bytes each needs, and refuses one more', async () => {
    const p = await withIssue()
    const body = '💥'.repeat(1_000_000)
    const { status, body: note } = await p.guest.post(p.path, { body })
    expect(status).toBe(201)
    expect(note.body === body).toBe(true)
    const longer = await p.guest.post(p.path, { body: `${body}.` })
    expect([longer.status, longer.body.error]).toEqual([
      400,
      'body is too long (maximum is 1000000 characters)',
    ])
    expect((await p.guest.put(`${p.path}/${note.id}`, { body: `${body}.` })).status).toBe(400)
  })

  test('keeps a time that owners and administrators name, and ignores it from others', async () => {
    const p = await withIssue()
    const created_at = '2001-02-03T04:05:06+01:00'
    for (const entitled of [p.owner, p.admin]) {
      const { body } = await entitled.post(p.path, { body: 'x', created_at })
      expect(body).toMatchObject({
        created_at: '2001-02-03T03:05:06.000Z',
        updated_at: '2001-02-03T03:05:06.000Z',
      })
    }
    const { status, body } = await p.maintainer.post(p.path, { body: 'x', created_at })
    expect(status).toBe(201)
    expect(body.created_at > '2020').toBe(true)
  })

  test('refuses a time that is none, or not after the first day of 1970', async () => {
    const p = await withIssue()
    for (const created_at of [
      'yesterday',
      '1969-12-31',
      '1970-01-01T00:00:00Z',
      '1970-01-01T01:00:00+02:00',
    ]) {
      const { status, body } = await p.owner.post(p.path, { body: 'x', created_at })
      expect([created_at, status, Object.keys(body.message)]).toEqual([created_at, 400, ['created_at']])
    }
    const { body } = await p.owner.post(p.path, { body: 'x', created_at: '1970-01-01T00:00:00.001Z' })
    expect(body.created_at).toBe('1970-01-01T00:00:00.001Z')
  })

  test('takes forms and query parameters, too', async () => {
    const p = await withIssue()
    const form = await p.guest.send('POST', p.path, { form: new URLSearchParams({ body: 'from a form' }) })
    const query = await p.guest.send('POST', `${p.path}?body=from+the+query`)
    expect([form.body.body, query.body.body]).toEqual(['from a form', 'from the query'])
  })

  test('keeps who is named, and tells the issues that are referred to', async () => {
    const p = await withIssue()
    const { body: other } = await p.reporter.post(`/projects/${p.id}/issues`, { title: 'Another' })
    await p.planner.post(p.path, { body: `@${p.developer.username}, see #${other.iid}` })
    const [told] = (await p.guest.get(`/projects/${p.id}/issues/${other.iid}/notes`)).body
    expect(told).toMatchObject({ system: true, body: `mentioned in issue #${p.issue.iid}` })
    const mentions = await w.db
      .selectFrom('user_mentions')
      .select('user_id')
      .where('noteable_id', '=', p.issue.id)
      .execute()
    expect(mentions).toEqual([{ user_id: p.developer.id }])
  })

  test('20 at once are all counted', async () => {
    const p = await withIssue()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 === 0 ? p.planner : p.developer).post(p.path, { body: `${n}`, internal: n % 4 === 0 }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    const row = await w.db
      .selectFrom('noteables')
      .select(['notes_count', 'internal_notes_count'])
      .where('id', '=', p.issue.id)
      .executeTakeFirst()
    expect(row).toEqual({ notes_count: 15, internal_notes_count: 5 })
  })

  test('waits for nobody else who is about to comment; whoever deletes the issue waits for both', async () => {
    const p = await withIssue()
    const kept = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const other = w.write(async (tx) => {
      await sql`select 1 from noteables where id = ${p.issue.id} for key share`.execute(tx.db)
      kept.resolve()
      await end.promise
    })
    await kept.promise
    expect(await p.developer.post(p.path, { body: 'Meanwhile' })).toMatchObject({ status: 201 })
    const deletion = p.owner.delete(`/projects/${p.id}/issues/${p.issue.iid}`)
    await lockWaiters(1)
    end.resolve()
    await other
    expect(await deletion).toMatchObject({ status: 204 })
    expect(await p.developer.post(p.path, { body: 'Too late' })).toMatchObject({ status: 404 })
  })

  test('404 when its issue is deleted before the note is written', async () => {
    const p = await withIssue()
    const deleted = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const deletion = w.write(async (tx) => {
      await sql`select 1 from noteables where id = ${p.issue.id} for update`.execute(tx.db)
      await removeLater(tx, issueIdentity, p.issue.id)
      deleted.resolve()
      await end.promise
    })
    await deleted.promise
    const note = p.developer.post(p.path, { body: 'Too late' })
    await lockWaiters(1)
    end.resolve()
    await deletion
    expect(await note).toMatchObject({ status: 404 })
  })

  test('two that mention the same others, in another order, are both written at once', async () => {
    const p = await withIssue()
    for (const title of ['two', 'three']) await p.developer.post(`/projects/${p.id}/issues`, { title })
    const bodies = ['#2 and #3', '#3 and #2']
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => p.developer.post(p.path, { body: bodies[n % 2] })),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    for (const iid of [2, 3]) {
      const { body } = await p.developer.get(`/projects/${p.id}/issues/${iid}/notes`)
      expect(body).toMatchObject([{ system: true }])
    }
  })

  test('beside deletions and changes of its issue is written or answered 404', async () => {
    const p = await withIssue()
    const path = `/projects/${p.id}/issues/${p.issue.iid}`
    const notes = Array.from({ length: 12 }, (_, n) => p.developer.post(p.path, { body: `${n}` }))
    const changes = Array.from({ length: 4 }, (_, n) => p.developer.put(path, { title: `${n}` }))
    const statuses = async (answers: Promise<Answer>[]) =>
      new Set((await Promise.all(answers)).map(({ status }) => status))
    const [written, changed, deleted] = await Promise.all([
      statuses(notes),
      statuses(changes),
      statuses([p.owner.delete(path)]),
    ])
    expect([201, 404]).toEqual(expect.arrayContaining([...written]))
    expect([200, 404]).toEqual(expect.arrayContaining([...changed]))
    expect([...deleted]).toEqual([204])
  })
})

describe('a locked discussion', () => {
  test('is for members only', async () => {
    const p = await withIssue({ visibility: 'public' }, {})
    const { body: early } = await p.stranger.post(p.path, { body: 'before' })
    await p.planner.put(p.issuePath, { discussion_locked: true })
    expect((await p.stranger.post(p.path, { body: 'x' })).status).toBe(403)
    expect((await p.stranger.put(`${p.path}/${early.id}`, { body: 'x' })).status).toBe(403)
    for (const member of [p.guest, p.admin])
      expect((await member.post(p.path, { body: 'x' })).status).toBe(201)
    await p.planner.put(p.issuePath, { discussion_locked: false })
    expect((await p.stranger.post(p.path, { body: 'x' })).status).toBe(201)
  })
})

describe('what is not there, or not for the caller', () => {
  const refusal = ({ status, body }: Answer) => [status, body.message]

  test('404 Issue Not Found: a missing issue, one of another project, its id instead of its iid', async () => {
    const [p, other] = [await withIssue(), await withIssue()]
    await other.reporter.post(`/projects/${other.id}/issues`, { title: 'Second' })
    for (const number of [2, p.issue.id + 1_000_000, 999_999]) {
      const path = `/projects/${p.id}/issues/${number}/notes`
      const expected = [404, '404 Issue Not Found']
      expect(refusal(await p.owner.get(path))).toEqual(expected)
      expect(refusal(await p.owner.get(`${path}/1`))).toEqual(expected)
      expect(refusal(await p.owner.post(path, { body: 'x' }))).toEqual(expected)
      expect(refusal(await p.owner.put(`${path}/1`, { body: 'x' }))).toEqual(expected)
      expect(refusal(await p.owner.delete(`${path}/1`))).toEqual(expected)
    }
    expect((await p.owner.get(`/projects/${p.id}/issues/${2 ** 40}/notes`)).status).toBe(400)
    expect((await p.owner.get(`/projects/${p.id}/issues/x/notes`)).body.error).toBe('issue_iid is invalid')
  })

  test('404 Issue Not Found: a confidential one, but to its author, its assignees and Planner up', async () => {
    const p = await withIssue({ visibility: 'public' })
    const assignee = p.guest
    const issues = `/projects/${p.id}/issues`
    const { body: issue } = await p.stranger.post(issues, { title: 'x', confidential: true })
    await p.planner.put(`${issues}/${issue.iid}`, { assignee_ids: [assignee.id] })
    const path = `${issues}/${issue.iid}/notes`
    const outsider = await w.user()
    expect(refusal(await outsider.get(path))).toEqual([404, '404 Issue Not Found'])
    expect(refusal(await outsider.post(path, { body: 'x' }))).toEqual([404, '404 Issue Not Found'])
    for (const seeing of [p.stranger, assignee, p.planner])
      expect((await seeing.post(path, { body: 'x' })).status).toBe(201)
    expect(ids(await assignee.get(path))).toHaveLength(4)
  })

  test('401 without a user, also on a public issue: to read a note, and to read discussions', async () => {
    const p = await withIssue({ visibility: 'public' })
    const { body: note } = await p.guest.post(p.path, { body: 'x' })
    const [discussion] = (await p.guest.get(p.discussions)).body
    const thread = `${p.discussions}/${discussion.id}`
    for (const path of [p.path, `${p.path}/${note.id}`, p.discussions, thread, `${thread}/notes`])
      expect(refusal(await p.anonymous.get(path))).toEqual([401, '401 Unauthorized'])
    expect((await p.anonymous.get(p.path.replace('/notes', ''))).status).toBe(200)
  })

  test('404 Note Not Found: a missing note, and one of another issue', async () => {
    const p = await withIssue()
    const second = await p.reporter.post(`/projects/${p.id}/issues`, { title: 'Second' })
    const { body: note } = await p.owner.post(p.path, { body: 'x' })
    const elsewhere = `/projects/${p.id}/issues/${second.body.iid}/notes/${note.id}`
    for (const path of [`${p.path}/999999999`, elsewhere, `${p.path}/${Number.MAX_SAFE_INTEGER}`]) {
      expect(refusal(await p.owner.get(path))).toEqual([404, '404 Note Not Found'])
      expect(refusal(await p.owner.put(path, { body: 'x' }))).toEqual([404, '404 Note Not Found'])
      expect(refusal(await p.owner.delete(path))).toEqual([404, '404 Note Not Found'])
    }
    expect((await p.owner.get(`${p.path}/x`)).status).toBe(400)
  })
})

describe('PUT /projects/:id/issues/:issue_iid/notes/:note_id', () => {
  test('changes the body; without one nothing', async () => {
    const p = await withIssue()
    w.clock.hold('2030-01-01T00:00:00.000Z')
    const { body: note } = await p.guest.post(p.path, { body: 'x' })
    const path = `${p.path}/${note.id}`
    w.clock.hold('2030-01-02T00:00:00.000Z')
    for (const same of [{}, { body: 'x' }, { body: null }]) {
      const { status, body } = await p.guest.put(path, same)
      expect([status, body]).toEqual([200, note])
    }
    const changed = await p.guest.put(path, { body: 'y' })
    expect(changed.body).toEqual({ ...note, body: 'y', updated_at: '2030-01-02T00:00:00.000Z' })
    expect((await p.guest.put(path, { body: ' ' })).status).toBe(400)
    expect(await countFor(p.guest, p)).toBe(1)
  })

  test('is for the author and from Maintainer up', async () => {
    const p = await withIssue({ visibility: 'public' })
    const { body: note } = await p.stranger.post(p.path, { body: 'x' })
    const path = `${p.path}/${note.id}`
    for (const other of [p.developer, await w.user()])
      expect((await other.put(path, { body: 'y' })).status).toBe(403)
    expect((await p.maintainer.put(path, { body: 'y' })).body).toMatchObject({
      body: 'y',
      author: { id: p.stranger.id },
    })
    expect((await p.stranger.put(path, { body: 'z' })).body.body).toBe('z')
  })

  test('412 when it changed since the client looked', async () => {
    const p = await withIssue()
    w.clock.hold('2030-01-02T00:00:00.000Z')
    const { body: note } = await p.guest.post(p.path, { body: 'x' })
    const path = `${p.path}/${note.id}`
    const since = (day: string) => ({ headers: { 'if-unmodified-since': new Date(day).toUTCString() } })
    expect((await p.guest.put(path, { body: 'y' }, since('2030-01-01'))).status).toBe(412)
    expect((await p.guest.delete(path, undefined, since('2030-01-01'))).status).toBe(412)
    expect((await p.guest.put(path, { body: 'y' }, since('2030-01-02'))).status).toBe(200)
    expect((await p.guest.delete(path, undefined, since('2030-01-03'))).status).toBe(204)
  })
})

describe('DELETE /projects/:id/issues/:issue_iid/notes/:note_id', () => {
  test('takes it away and counts down', async () => {
    const p = await withIssue()
    const { body: note } = await p.guest.post(p.path, { body: 'x' })
    expect((await p.developer.delete(`${p.path}/${note.id}`)).status).toBe(403)
    const answer = await p.guest.delete(`${p.path}/${note.id}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await p.guest.delete(`${p.path}/${note.id}`)).status).toBe(404)
    expect(await countFor(p.guest, p)).toBe(0)
    const facts = await w.db
      .selectFrom('facts')
      .select(['name', 'details'])
      .where('target_type', '=', 'Note')
      .where('target_id', '=', note.id)
      .orderBy('id')
      .execute()
    const details = { noteable_type: 'Issue', noteable_id: p.issue.id, internal: false }
    expect(facts).toEqual([
      { name: 'note created', details },
      { name: 'note deleted', details },
    ])
  })
})

describe('records of the system', () => {
  test('are notes that nobody changes or deletes, and are no comments', async () => {
    const p = await withIssue()
    await p.planner.put(p.issuePath, { title: 'It broke' })
    const [record] = (await p.guest.get(p.path)).body
    expect(record).toMatchObject({
      system: true,
      body: 'changed title from **It breaks** to **It broke**',
      author: { id: p.planner.id },
    })
    for (const who of [p.planner, p.owner, p.admin]) {
      expect((await who.put(`${p.path}/${record.id}`, { body: 'x' })).status).toBe(403)
      expect((await who.delete(`${p.path}/${record.id}`)).status).toBe(403)
    }
    expect(await countFor(p.guest, p)).toBe(0)
  })

  test('activity_filter tells them from comments', async () => {
    const p = await withIssue()
    await p.planner.put(p.issuePath, { title: 'It broke' })
    await p.guest.post(p.path, { body: 'x' })
    const list = async (query: string) => {
      const answer = await p.guest.get(`${p.path}${query}`)
      return [bodies(answer).length, answer.headers.get('x-total')]
    }
    expect(await list('')).toEqual([2, '2'])
    expect(await list('?activity_filter=all_notes')).toEqual([2, '2'])
    expect(await list('?activity_filter=only_comments')).toEqual([1, '1'])
    expect(await list('?activity_filter=only_activity')).toEqual([1, '1'])
    expect((await p.guest.get(`${p.path}?activity_filter=x`)).body.error).toBe(
      'activity_filter does not have a valid value',
    )
  })
})

test('when an author is deleted with all they did, counts and discussions go on without their notes', async () => {
  const p = await withIssue()
  const leaving = await w.user()
  await w.member(p.namespaceId, leaving, 20)
  const { body: discussion } = await leaving.post(p.discussions, { body: 'one' })
  await p.guest.post(`${p.discussions}/${discussion.id}/notes`, { body: 'two' })
  await leaving.post(p.path, { body: 'alone' })
  await leaving.post(p.path, { body: 'internal', internal: true })
  await w.write(async (tx) => {
    expect(await deleteNotesOf(tx, leaving.id, 2)).toBe(2)
    expect(await deleteNotesOf(tx, leaving.id, 2)).toBe(1)
    expect(await deleteNotesOf(tx, leaving.id, 2)).toBe(0)
  })
  expect([await countFor(p.guest, p), await countFor(p.owner, p)]).toEqual([1, 1])
  const [left] = (await p.guest.get(p.discussions)).body
  expect([left.id, bodies({ ...(await p.guest.get(p.path)), body: left.notes })]).toEqual([
    discussion.id,
    ['two'],
  ])
})
