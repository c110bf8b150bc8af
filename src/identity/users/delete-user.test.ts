import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import { LeaseHeld } from '#platform/jobs/lease.ts'
import { unique, w } from '#test/world.ts'
import { removeUser } from './remove-user.ts'
import { withAdministrators } from './test-support.ts'

/** Runs the job to its end, once the server's own worker has done what it may be doing of the same. */
async function finish(userId: number, hard = false, signal = new AbortController().signal): Promise<void> {
  const services = { ...w.running.services, log: pino({ level: 'silent' }) }
  const job = jobContext(services, { attempt: 1, signal })
  for (;;) {
    try {
      return await removeUser.execute({ user_id: userId, hard }, job)
    } catch (error) {
      if (!(error instanceof LeaseHeld)) throw error
    }
  }
}

const ghostId = async () => (await w.root.get('/users?username=ghost')).body[0].id
const rows = (userId: number) => w.db.selectFrom('users').select('id').where('id', '=', userId).execute()

/** Comments on an issue by these people, in one discussion; answers with their ids. */
async function discuss(issueId: number, authors: readonly number[]): Promise<number[]> {
  const now = new Date().toISOString()
  const discussion_id = randomBytes(20)
  const made = await w.db
    .insertInto('notes')
    .values(
      authors.map((author_id, index) => ({
        noteable_id: issueId,
        author_id,
        body: 'x',
        discussion_id,
        starts_discussion: index === 0,
        created_at: now,
        updated_at: now,
      })),
    )
    .returning('id')
    .execute()
  await w.db.updateTable('noteables').set({ notes_count: authors.length }).where('id', '=', issueId).execute()
  return made.map(({ id }) => id)
}

describe('DELETE /users/:id', () => {
  test('ends the account at once, and frees its names', async () => {
    const user = await w.user({ profile: { bio: 'personal' } })
    const { namespaceId, developer } = await w.project({ visibility: 'public' })
    await w.member(namespaceId, user, 30)
    const namespace_id: number = (await w.root.get(`/users/${user.id}`)).body.namespace_id
    const personal = await w.project({ parent: namespace_id, visibility: 'public' })
    expect((await w.root.delete(`/users/${user.id}`)).status).toBe(204)
    expect((await user.get('/user')).status).toBe(401)
    const { client } = await w.token(w.root, ['api', 'sudo'])
    expect((await client.get(`/user?sudo=${user.id}`)).status).toBe(404)
    expect((await developer.get(`/users/${user.id}`)).status).toBe(404)
    expect((await w.root.get(`/users?search=${user.username}`)).body).toEqual([])
    expect((await w.root.get(`/projects/${personal.id}/labels`)).status).toBe(404)
    expect((await w.root.delete(`/users/${user.id}`)).status).toBe(404)
    expect((await w.root.post(`/users/${user.id}/block`)).status).toBe(404)
    const again = { username: user.username, email: `${user.username}@example.com`, name: 'Again' }
    expect((await w.root.post('/users', { ...again, reset_password: true })).status).toBe(201)
  })

  test('gives contributions to the ghost, also when the job is cut short', async () => {
    const user = await w.user({ admin: true })
    const { id, groupId } = await w.project()
    await w.db.updateTable('projects').set({ creator_id: user.id }).where('id', '=', id).execute()
    await user.post(`/groups/${groupId}/labels`, { name: 'theirs', color: 'red' })
    const invited = { username: unique('invited'), name: 'Invited', reset_password: true }
    const { body } = await user.post('/users', { ...invited, email: `${invited.username}@example.com` })
    await w.root.put(`/users/${user.id}`, { admin: false })
    expect((await w.root.delete(`/users/${user.id}`)).status).toBe(204)
    await expect(finish(user.id, false, AbortSignal.abort(new Error('stopping')))).rejects.toThrow('stopping')
    await finish(user.id)
    await finish(user.id)
    expect(await rows(user.id)).toEqual([])
    const ghost = await ghostId()
    const project = await w.db.selectFrom('projects').select('creator_id').where('id', '=', id).execute()
    expect(project).toEqual([{ creator_id: ghost }])
    expect((await w.root.get(`/users/${body.id}`)).body.created_by.username).toBe('ghost')
  })

  test('gives issues and notes to the ghost, or with hard_delete removes them', async () => {
    for (const hard of [false, true]) {
      const [user, other] = [await w.user(), await w.user()]
      const p = await w.project({ visibility: 'public' })
      for (const by of [user, other]) await by.post(`/projects/${p.id}/issues`, { title: 'x' })
      await user.put(`/projects/${p.id}/issues/1`, { title: 'y', state_event: 'close' })
      await p.owner.put(`/projects/${p.id}/issues/2`, { assignee_ids: [user.id] })
      const { id: issueId } = (await other.get(`/projects/${p.id}/issues/2`)).body
      const kept = await discuss(issueId, [user.id, user.id, other.id, user.id])
      const { id: ownId } = (await other.get(`/projects/${p.id}/issues/1`)).body
      await other.post(`/projects/${p.id}/issues/1/notes`, { body: 'Well said' })
      await other.post(`/projects/${p.id}/issues/1/todo`)
      expect((await other.get(`/projects/${p.id}/issues/2`)).body.user_notes_count).toBe(4)
      expect((await w.root.delete(`/users/${user.id}?hard_delete=${hard}`)).status).toBe(204)
      await finish(user.id, hard)
      await finish(user.id, hard)
      expect(await rows(user.id)).toEqual([])
      const { status, body } = await other.get(`/projects/${p.id}/issues/1`)
      expect([status, body.author?.username]).toEqual(hard ? [404, undefined] : [200, 'ghost'])
      // An issue goes with its noteable, and with what others left on it.
      const left = await Promise.all([
        w.db.selectFrom('noteables').select('id').where('id', '=', ownId).execute(),
        w.db.selectFrom('notes').select('id').where('noteable_id', '=', ownId).limit(1).execute(),
        w.db.selectFrom('todos').select('id').where('noteable_id', '=', ownId).execute(),
      ])
      expect(left.map(({ length }) => length)).toEqual(hard ? [0, 0, 0] : [1, 1, 1])
      const discussed = (await other.get(`/projects/${p.id}/issues/2`)).body
      expect([discussed.user_notes_count, discussed.assignees]).toEqual([hard ? 1 : 4, []])
      const notes = await w.db
        .selectFrom('notes')
        .innerJoin('users', 'users.id', 'notes.author_id')
        .select(['notes.id', 'username', 'starts_discussion'])
        .where('noteable_id', '=', issueId)
        .where('system', '=', false)
        .orderBy('notes.id')
        .execute()
      const [first = 0, second = 0, third = 0, last = 0] = kept
      const of = (id: number, username: string, starts = false) => ({
        id,
        username,
        starts_discussion: starts,
      })
      expect(notes).toEqual(
        hard
          ? [of(third, other.username, true)]
          : [of(first, 'ghost', true), of(second, 'ghost'), of(third, other.username), of(last, 'ghost')],
      )
    }
  })

  test('keeps the awards, as the ghost that gives each once, or takes them back; votes stay right', async () => {
    const { id, reporter } = await w.project({ visibility: 'public' })
    await reporter.post(`/projects/${id}/issues`, { title: 'Loved' })
    const issue = `/projects/${id}/issues/1`
    const [kept, same, gone] = [await w.user(), await w.user(), await w.user()]
    for (const user of [kept, same, gone, reporter]) await user.post(`${issue}/award_emoji`, { name: '+1' })
    for (const user of [kept, gone]) {
      await user.post(`${issue}/award_emoji`, { name: '-1' })
      await user.post(`${issue}/award_emoji`, { name: 'tada' })
    }
    const given = async () => {
      const { body } = await reporter.get(issue)
      const awards: { name: string; user: { username: string } }[] = (
        await reporter.get(`${issue}/award_emoji`)
      ).body
      return [
        body.upvotes,
        body.downvotes,
        awards.map(({ name, user }) => `${user.username} ${name}`).toSorted(),
      ]
    }
    for (const [user, hard] of [
      [kept, false],
      [same, false],
      [gone, true],
    ] as const) {
      await w.root.delete(`/users/${user.id}?hard_delete=${hard}`)
      await finish(user.id, hard)
      expect(await rows(user.id)).toEqual([])
    }
    expect(await given()).toEqual([
      2,
      1,
      ['ghost tada', 'ghost thumbsdown', 'ghost thumbsup', `${reporter.username} thumbsup`],
    ])
  })

  test('does not leave a group without an owner, unless the group goes as well', async () => {
    const user = await w.user()
    const { id, owner, anonymous } = await w.group({ visibility: 'public' })
    const inner = await w.group({ visibility: 'public', parent: id })
    await w.member(inner.id, user, 50)
    await w.root.delete(`/users/${inner.owner.id}`)
    await w.member(id, user, 50)
    expect((await w.root.delete(`/users/${owner.id}`)).status).toBe(204)
    const refused = await w.root.delete(`/users/${user.id}`)
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'User cannot be removed while is the sole-owner of a group',
    ])
    expect((await user.get('/user')).status).toBe(200)
    expect((await w.root.delete(`/users/${user.id}?hard_delete=true`)).status).toBe(204)
    for (const group of [id, inner.id]) {
      expect((await anonymous.get(`/groups/${group}/labels`)).status).toBe(404)
    }
    await finish(user.id, true)
    expect(await rows(user.id)).toEqual([])
  })

  test('of two owners deleted at once, one stays', async () => {
    const { id, owner } = await w.group()
    const second = await w.user()
    await w.member(id, second, 50)
    const answers = await Promise.all([owner, second].map((user) => w.root.delete(`/users/${user.id}`)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204, 409]))
  })

  test('spares administrators who are the last, the ghost, bots, and what was changed since', async () => {
    await withAdministrators([1], async () => {
      const refused = await w.root.delete('/users/1')
      expect(refused.body.message).toBe('403 Forbidden - The last administrator cannot be deleted')
    })
    const bot = await w.user({ kind: 'bot' })
    for (const id of [await ghostId(), bot.id]) expect((await w.root.delete(`/users/${id}`)).status).toBe(403)
    const user = await w.user()
    const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' }
    expect((await w.root.delete(`/users/${user.id}`, undefined, { headers })).status).toBe(412)
    expect((await user.delete(`/users/${user.id}`)).status).toBe(403)
    expect((await w.anonymous.delete(`/users/${user.id}`)).status).toBe(401)
  })
})
