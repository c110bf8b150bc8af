import { describe, expect, test } from 'vitest'
import { type Actor, w } from '#test/world.ts'
import { bodiesOf, comment, namedIn, notesOf, openIssue, twoProjects } from './test-support.ts'

const move = (
  by: { post: (path: string, json: object) => Promise<{ status: number; body: Record<string, unknown> }> },
  issue: { path: string },
  to_project_id: unknown,
) => by.post(`${issue.path}/move`, { to_project_id })

describe('POST /projects/:id/issues/:issue_iid/move', () => {
  test('opens the issue in the other project, as its author wrote it, and closes what remains', async () => {
    const { from, to, mover } = await twoProjects()
    const issue = await openIssue(from.reporter, from.id, {
      title: 'Move me',
      description: 'See #1',
      confidential: true,
      due_date: '2026-12-01',
      weight: 3,
      issue_type: 'incident',
    })
    await openIssue(to.reporter, to.id)
    const { status, body } = await move(mover, issue, to.id)
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        iid: 2,
        project_id: to.id,
        title: 'Move me',
        description: 'See #1',
        state: 'opened',
        author: { id: from.reporter.id },
        created_at: issue.created_at,
        confidential: true,
        due_date: '2026-12-01',
        weight: 3,
        issue_type: 'incident',
        moved_to_id: null,
        references: { short: '#2', relative: `${to.fullPath}#2`, full: `${to.fullPath}#2` },
        web_url: `${w.url}/${to.fullPath}/-/issues/2`,
      },
    })
    expect((await mover.get(issue.path)).body).toMatchObject({
      state: 'closed',
      closed_by: { id: mover.id },
      moved_to_id: body['id'],
      confidential: true,
    })
    expect(await bodiesOf(issue.id)).toEqual([`moved to ${to.fullPath}#2`])
    expect(await bodiesOf(Number(body['id']))).toEqual([`moved from ${from.fullPath}#1`])
    expect((await openIssue(to.reporter, to.id)).iid).toBe(3)
  })

  test('is not told of once the other issue is deleted, before a job has removed that one', async () => {
    const { from, to, mover } = await twoProjects()
    const issue = await openIssue(mover, from.id)
    const { body: moved } = await mover.post(`${issue.path}/move`, { to_project_id: to.id })
    await w.db.transaction().execute(async (db) => {
      // The job waits for this.
      await db.selectFrom('notes').select('id').where('noteable_id', '=', moved.id).forUpdate().execute()
      expect((await to.owner.delete(`/projects/${to.id}/issues/${moved.iid}`)).status).toBe(204)
      expect((await mover.get(issue.path)).body.moved_to_id).toBeNull()
    })
  })

  test('keeps labels and the milestone when the other project, or a group above it, has ones of that name', async () => {
    const { from, to, mover } = await twoProjects()
    const label = (projectId: number, name: string) =>
      w.root.post(`/projects/${projectId}/labels`, { name, color: 'red' })
    for (const name of ['bug', 'only here', 'shared']) await label(from.id, name)
    const { body: bug } = await label(to.id, 'bug')
    await w.root.post(`/groups/${to.groupId}/labels`, { name: 'shared', color: 'red' })
    await label(to.id, 'only there')
    const milestones = await w.db
      .insertInto('milestones')
      .values(
        [from.namespaceId, to.groupId].map((namespace_id) => ({
          namespace_id,
          iid: 1,
          title: 'v1',
          created_at: '2026-01-01',
          updated_at: '2026-01-01',
        })),
      )
      .returning('id')
      .execute()
    const issue = await openIssue(mover, from.id, {
      labels: 'bug,only here,shared',
      milestone_id: milestones[0]?.id,
    })
    const { body } = await move(mover, issue, to.id)
    expect(body).toMatchObject({ labels: ['bug', 'shared'], milestone: { id: milestones[1]?.id } })
    const events = await w.db
      .selectFrom('resource_events')
      .select(['kind', 'label_id', 'milestone_id', 'user_id'])
      .where('noteable_id', '=', Number(body['id']))
      .orderBy('id')
      .execute()
    expect(events).toHaveLength(3)
    expect(events[0]).toEqual({ kind: 'label', label_id: bug.id, milestone_id: null, user_id: mover.id })
    expect(events[2]).toMatchObject({ kind: 'milestone', milestone_id: milestones[1]?.id })
    expect((await mover.get(issue.path)).body).toMatchObject({
      labels: ['bug', 'only here', 'shared'],
      milestone: { id: milestones[0]?.id },
    })
  })

  test('keeps the assignees who may read the other project', async () => {
    const { from, to, mover } = await twoProjects()
    await w.member(to.namespaceId, from.guest, 10)
    const issue = await openIssue(mover, from.id, {
      assignee_ids: [from.guest.id, from.developer.id],
      description: `@${from.guest.username} @${from.developer.username}`,
    })
    expect(await namedIn(issue.id)).toEqual([from.guest.id, from.developer.id].toSorted((a, b) => a - b))
    const { body } = await move(mover, issue, to.id)
    expect(body).toMatchObject({ assignees: [{ id: from.guest.id }] })
    expect(await namedIn(Number(body['id']))).toEqual([from.guest.id])
  })

  test('takes comments and records along, with threads, emoji and who is named', async () => {
    const { from, to, mover } = await twoProjects()
    const issue = await openIssue(mover, from.id)
    await mover.put(issue.path, { title: 'Another title' })
    const first = await comment(issue.id, from.guest, { body: 'First', award: 'tada', named: mover })
    await comment(issue.id, from.developer, { body: 'Reply', replyTo: first, named: from.guest })
    await comment(issue.id, from.reporter, { body: 'Internal', internal: true })
    const { body } = await move(mover, issue, to.id)
    expect(body).toMatchObject({ user_notes_count: 3 })
    const [was, is] = [await notesOf(issue.id), await notesOf(Number(body['id']))]
    const told = ({
      body: said,
      author_id,
      internal,
      system,
      type,
      created_at,
      updated_at,
      starts_discussion,
    }: (typeof was)[number]) => ({
      said,
      author_id,
      internal,
      system,
      type,
      created_at,
      updated_at,
      starts_discussion,
    })
    expect(was.at(-1)?.body).toBe(`moved to ${to.fullPath}#1`)
    expect(is.at(-1)?.body).toBe(`moved from ${from.fullPath}#1`)
    expect(is.slice(0, -1).map(told)).toEqual(was.slice(0, -1).map(told))
    const thread = is.filter(({ body: said }) => said === 'First' || said === 'Reply')
    expect(thread[0]?.discussion_id).toEqual(thread[1]?.discussion_id)
    expect(thread[0]?.discussion_id).not.toEqual(first.discussion_id)
    expect(thread[0]?.discussion_id).toHaveLength(20)
    const awards = await w.db
      .selectFrom('award_emoji')
      .selectAll()
      .where('note_id', '=', thread[0]?.id ?? 0)
      .execute()
    expect(awards).toMatchObject([{ name: 'tada', user_id: from.guest.id }])
    expect(await namedIn(Number(body['id']))).toEqual([mover.id])
  })

  test('keeps internal notes and the counts right for everybody', async () => {
    const { from, to, mover } = await twoProjects()
    await w.member(to.namespaceId, from.guest, 10)
    const issue = await openIssue(mover, from.id)
    await comment(issue.id, from.guest, { body: 'Mine', internal: true })
    await comment(issue.id, mover, { body: 'Internal', internal: true })
    await comment(issue.id, mover, { body: 'For all' })
    await w.db
      .insertInto('award_emoji')
      .values({
        noteable_id: issue.id,
        name: 'thumbsup',
        user_id: mover.id,
        created_at: '2026-01-01',
        updated_at: '2026-01-01',
      })
      .execute()
    await w.db.updateTable('issues').set({ upvotes: 1 }).where('id', '=', issue.id).execute()
    const { body } = await move(mover, issue, to.id)
    expect(body).toMatchObject({ user_notes_count: 3, upvotes: 1, downvotes: 0 })
    const path = `/projects/${to.id}/issues/1`
    expect((await from.guest.get(path)).body.user_notes_count).toBe(2)
    expect((await to.guest.get(path)).body.user_notes_count).toBe(1)
    const awards = await w.db
      .selectFrom('award_emoji')
      .select('name')
      .where('noteable_id', '=', Number(body['id']))
      .execute()
    expect(awards).toEqual([{ name: 'thumbsup' }])
  })

  test('takes time, subscriptions and links along', async () => {
    const { from, to, mover } = await twoProjects()
    const issue = await openIssue(mover, from.id)
    const [blocked, blocking] = [await openIssue(mover, from.id), await openIssue(mover, from.id)]
    const link = (other: { iid: number }, link_type: string) =>
      mover.post(`${issue.path}/links`, {
        target_project_id: from.id,
        target_issue_iid: other.iid,
        link_type,
      })
    await link(blocked, 'blocks')
    await link(blocking, 'is_blocked_by')
    await mover.post(`${issue.path}/time_estimate`, { duration: '3h' })
    await mover.post(`${issue.path}/add_spent_time`, { duration: '2h', summary: 'Looked' })
    await mover.post(`${issue.path}/add_spent_time`, { duration: '-1h' })
    await w.db
      .insertInto('subscriptions')
      .values({ noteable_id: issue.id, user_id: mover.id, subscribed: false })
      .execute()
    const { body } = await move(mover, issue, to.id)
    expect(body).toMatchObject({
      time_stats: { time_estimate: 10_800, total_time_spent: 3_600 },
      subscribed: false,
      blocking_issues_count: 1,
    })
    const logs = await w.db
      .selectFrom('timelogs')
      .select(['time_spent', 'summary'])
      .where('noteable_id', '=', Number(body['id']))
      .orderBy('id')
      .execute()
    expect(logs).toEqual([
      { time_spent: 7_200, summary: 'Looked' },
      { time_spent: -3_600, summary: null },
    ])
    const links = await mover.get(`/projects/${to.id}/issues/1/links`)
    expect(links.body.map((one: Record<string, unknown>) => [one['id'], one['link_type']])).toEqual([
      [blocked.id, 'blocks'],
      [blocking.id, 'is_blocked_by'],
    ])
    expect((await mover.get(`${issue.path}/links`)).body).toEqual([])
  })

  test('leaves a closed issue closed as it was', async () => {
    const { from, to, mover } = await twoProjects()
    const issue = await openIssue(mover, from.id)
    const { body: closed } = await from.developer.put(issue.path, { state_event: 'close' })
    const { body } = await move(mover, issue, to.id)
    const how = { state: 'closed', closed_at: closed.closed_at, closed_by: { id: from.developer.id } }
    expect(body).toMatchObject(how)
    expect((await mover.get(issue.path)).body).toMatchObject(how)
    const events = await w.db
      .selectFrom('resource_events')
      .select('state')
      .where('noteable_id', 'in', [issue.id, Number(body['id'])])
      .execute()
    expect(events).toEqual([{ state: 'closed' }, { state: 'closed' }])
  })

  test('says where it went only to those who may see it there', async () => {
    const { from, to, mover } = await twoProjects()
    const issue = await openIssue(mover, from.id)
    await move(mover, issue, to.id)
    const seenBy = async (by: Actor) => {
      const { body } = await by.get(`${issue.path}/notes`)
      return body.map((note: { body: string }) => note.body)
    }
    expect(await seenBy(mover)).toEqual([`moved to ${to.fullPath}#1`])
    expect(await seenBy(from.owner)).toEqual([])
  })

  test('refuses to move an issue twice, or to where it is', async () => {
    const { from, to, mover } = await twoProjects()
    const issue = await openIssue(mover, from.id)
    expect(await move(mover, issue, from.id)).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - the issue is in this project already' },
    })
    expect((await move(mover, issue, to.id)).status).toBe(201)
    await mover.put(issue.path, { state_event: 'reopen' })
    expect(await move(mover, issue, to.id)).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - the issue was moved before' },
    })
    expect((await openIssue(to.reporter, to.id)).iid).toBe(2)
  })

  test('lets one of several moves at once win', async () => {
    const { from, to, mover } = await twoProjects()
    const other = await w.project()
    await w.member(other.namespaceId, mover, 15)
    const issue = await openIssue(mover, from.id)
    const answers = await Promise.all([to, other, to, other].map(({ id }) => move(mover, issue, id)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400])
  })

  test('goes well when issues go to and fro at once', async () => {
    const { from, to, mover } = await twoProjects()
    const issues = []
    for (let n = 0; n < 5; n += 1) {
      issues.push(
        { issue: await openIssue(mover, from.id), to: to.id },
        { issue: await openIssue(mover, to.id), to: from.id },
      )
    }
    const answers = await Promise.all(issues.map((one) => move(mover, one.issue, one.to)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map(({ body }) => JSON.stringify([body['project_id'], body['iid']]))).size).toBe(
      10,
    )
  })

  test('is for planners of both projects, and does not tell what may not be read from what is not there', async () => {
    const { from, to, mover } = await twoProjects()
    const issue = await openIssue(mover, from.id)
    const closed = await w.project()
    const visible = await w.project({ visibility: 'public' })
    const noProject = { status: 404, body: { message: '404 Project Not Found' } }
    expect(await move(mover, issue, closed.id)).toMatchObject(noProject)
    expect(await move(mover, issue, 999_999_999)).toMatchObject(noProject)
    expect((await move(mover, issue, visible.id)).status).toBe(403)
    await w.member(to.namespaceId, from.guest, 15)
    expect((await move(from.guest, issue, to.id)).status).toBe(403)
    await w.db.updateTable('namespaces').set({ archived: true }).where('id', '=', to.namespaceId).execute()
    expect((await move(mover, issue, to.id)).status).toBe(403)
    expect((await mover.get(issue.path)).body.state).toBe('opened')
    expect(await bodiesOf(issue.id)).toEqual([])
  })

  test('says what is missing or wrong', async () => {
    const { from, to, mover } = await twoProjects()
    const issue = await openIssue(mover, from.id)
    expect((await mover.post(`${issue.path}/move`, {})).body.error).toBe('to_project_id is missing')
    for (const wrong of ['x', 0, from.fullPath, 1.5])
      expect((await move(mover, issue, wrong)).status).toBe(400)
    expect((await move(mover, { path: `/projects/${from.id}/issues/99` }, to.id)).status).toBe(404)
  })

  test('takes as many statements with many notes as with few', async () => {
    const { from, to, mover } = await twoProjects()
    const count = async (notes: number) => {
      const issue = await openIssue(mover, from.id)
      for (let n = 0; n < notes; n += 1)
        await comment(issue.id, mover, { body: `${n}`, named: mover, award: 'tada' })
      return (await w.statements(() => move(mover, issue, to.id))).length
    }
    expect(await count(1)).toBe(await count(8))
  })
})
