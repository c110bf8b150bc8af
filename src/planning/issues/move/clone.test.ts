import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { bodiesOf, comment, namedIn, notesOf, openIssue, twoProjects } from './test-support.ts'

describe('POST /projects/:id/issues/:issue_iid/clone', () => {
  test('opens a new issue of the caller, and leaves the other as it is', async () => {
    const { from, to, mover } = await twoProjects()
    await w.root.post(`/projects/${to.id}/labels`, { name: 'bug', color: 'red' })
    const issue = await openIssue(from.planner, from.id, {
      title: 'Clone me',
      description: 'As it is',
      confidential: true,
      labels: 'bug,urgent',
      assignee_ids: [mover.id, from.owner.id],
      due_date: '2026-12-01',
      weight: 2,
    })
    await mover.post(`${issue.path}/time_estimate`, { duration: '3h' })
    await mover.post(`${issue.path}/add_spent_time`, { duration: '2h' })
    await comment(issue.id, mover, { body: 'Stays' })
    await mover.put(issue.path, { state_event: 'close' })
    const before = await mover.get(issue.path)
    const { status, body } = await mover.post(`${issue.path}/clone`, { to_project_id: to.id })
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        iid: 1,
        project_id: to.id,
        title: 'Clone me',
        description: 'As it is',
        state: 'opened',
        closed_at: null,
        closed_by: null,
        author: { id: mover.id },
        confidential: true,
        labels: ['bug'],
        assignees: [{ id: mover.id }],
        due_date: '2026-12-01',
        weight: 2,
        user_notes_count: 0,
        time_stats: { time_estimate: 10_800, total_time_spent: 0 },
      },
    })
    expect((await mover.get(issue.path)).body).toEqual(before.body)
    expect(await bodiesOf(body.id)).toEqual([`cloned from ${from.fullPath}#1`])
    expect((await bodiesOf(issue.id)).at(-1)).toBe(`cloned to ${to.fullPath}#1`)
    const events = await w.db
      .selectFrom('resource_events')
      .select(['kind', 'action', 'user_id'])
      .where('noteable_id', '=', body.id)
      .execute()
    expect(events).toEqual([
      { kind: 'label', action: 'add', user_id: mover.id },
      { kind: 'weight', action: null, user_id: mover.id },
    ])
  })

  test('copies the notes when asked to, internal ones as such, with right counts', async () => {
    const { from, to, mover } = await twoProjects()
    const issue = await openIssue(mover, from.id, { description: `@${mover.username}` })
    const first = await comment(issue.id, from.guest, { body: 'First', named: mover, award: 'tada' })
    await comment(issue.id, mover, { body: 'Reply', replyTo: first })
    await comment(issue.id, from.guest, { body: 'Internal', internal: true })
    await w.db.updateTable('issues').set({ upvotes: 2 }).where('id', '=', issue.id).execute()
    const send = (with_notes: unknown) =>
      mover.post(`${issue.path}/clone`, { to_project_id: to.id, with_notes })
    const { body } = await send('true')
    expect(body).toMatchObject({ user_notes_count: 3, upvotes: 0 })
    expect((await to.guest.get(`/projects/${to.id}/issues/${body.iid}`)).body.user_notes_count).toBe(2)
    const notes = await notesOf(body.id)
    expect(notes.map((note) => [note.body, note.author_id, note.internal])).toEqual([
      ['First', from.guest.id, false],
      ['Reply', mover.id, false],
      ['Internal', from.guest.id, true],
      [`cloned from ${from.fullPath}#1`, mover.id, false],
    ])
    expect(notes[0]?.discussion_id).toEqual(notes[1]?.discussion_id)
    expect(await namedIn(body.id)).toEqual([mover.id, mover.id])
    expect((await send(false)).body.user_notes_count).toBe(0)
  })

  test('copies into the same project, with its labels and milestone, as often as one likes', async () => {
    const { from, mover } = await twoProjects()
    const { id: milestone_id } = await w.db
      .insertInto('milestones')
      .values({
        namespace_id: from.namespaceId,
        iid: 1,
        title: 'v1',
        created_at: '2026-01-01',
        updated_at: '2026-01-01',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const issue = await openIssue(mover, from.id, { labels: 'bug', milestone_id })
    const send = () => mover.post(`${issue.path}/clone`, { to_project_id: from.id })
    expect((await send()).body).toMatchObject({ iid: 2, labels: ['bug'], milestone: { id: milestone_id } })
    expect((await send()).body.iid).toBe(3)
    expect(await bodiesOf(issue.id)).toEqual(['cloned to #2', 'cloned to #3'])
    const answers = await Promise.all(Array.from({ length: 6 }, send))
    expect(answers.map(({ body }) => body.iid).toSorted((a, b) => a - b)).toEqual([4, 5, 6, 7, 8, 9])
  })

  test('is for planners of both projects, and does not tell what may not be read from what is not there', async () => {
    const { from, mover } = await twoProjects()
    const issue = await openIssue(mover, from.id)
    const closed = await w.project()
    const visible = await w.project({ visibility: 'public' })
    const to = (to_project_id: unknown) => mover.post(`${issue.path}/clone`, { to_project_id })
    const noProject = { status: 404, body: { message: '404 Project Not Found' } }
    expect(await to(closed.id)).toMatchObject(noProject)
    expect(await to(999_999_999)).toMatchObject(noProject)
    expect((await to(visible.id)).status).toBe(403)
    expect((await from.guest.post(`${issue.path}/clone`, { to_project_id: from.id })).status).toBe(403)
    expect(await bodiesOf(issue.id)).toEqual([])
  })

  test('says what is missing or wrong', async () => {
    const { from, mover } = await twoProjects()
    const issue = await openIssue(mover, from.id)
    const send = (json: object) => mover.post(`${issue.path}/clone`, json)
    expect((await send({})).body.error).toBe('to_project_id is missing')
    expect((await send({ to_project_id: from.id, with_notes: 'maybe' })).body.error).toBe(
      'with_notes is invalid',
    )
    expect(
      (await mover.post(`/projects/${from.id}/issues/99/clone`, { to_project_id: from.id })).status,
    ).toBe(404)
  })
})
