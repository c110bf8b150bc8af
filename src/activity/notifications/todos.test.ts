import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { record } from '#platform/facts/record.ts'
import { createEpic } from '#planning/epics/create-epic.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { w } from '#test/mail-world.ts'
import { type Actor, unique } from '#test/world.ts'
import { everybodyTold, mailsOf, subjectsOf, todosOf } from './test-support.ts'

type Project = Awaited<ReturnType<typeof w.project>>

async function issueOf(p: Project, more: object = {}) {
  const title = unique('Issue')
  const { body } = await p.owner.post(`/projects/${p.id}/issues`, { title, ...more })
  await everybodyTold()
  return { path: `/projects/${p.id}/issues/${body.iid}`, title, id: body.id }
}
const note = (by: Actor, path: string, body: string, more: object = {}) =>
  by.post(`${path}/notes`, { body, ...more })

describe('a to-do comes', () => {
  test('to assignees, to who is mentioned, and to who is addressed at the beginning of a line', async () => {
    const p = await w.project()
    const { path, title } = await issueOf(p, {
      assignee_ids: [p.guest.id],
      description: `Ask @${p.planner.username}.\n\n@${p.reporter.username}, @${p.developer.username}: look`,
    })
    expect(await todosOf(p.guest)).toEqual([['assigned', title]])
    expect(await todosOf(p.planner)).toEqual([['mentioned', title]])
    expect(await todosOf(p.reporter)).toEqual([['directly_addressed', title]])
    expect(await todosOf(p.developer)).toEqual([['directly_addressed', title]])
    expect(await todosOf(p.owner)).toEqual([])
    await note(p.owner, path, `@${p.maintainer.username} look here`)
    await everybodyTold()
    const { body } = await p.maintainer.get('/todos')
    expect(body).toMatchObject([
      {
        action_name: 'directly_addressed',
        author: { id: p.owner.id },
        body: `@${p.maintainer.username} look here`,
        target_type: 'Issue',
        target_url: expect.stringMatching(/\/-\/issues\/1#note_\d+$/),
        state: 'pending',
      },
    ])
  })

  test('once while it waits, whatever happens besides; and again when it is done', async () => {
    const p = await w.project()
    const { path, title } = await issueOf(p, { assignee_ids: [p.guest.id] })
    await note(p.owner, path, `@${p.guest.username}`)
    expect(await todosOf(p.guest)).toEqual([['assigned', title]])
    expect((await p.guest.post(`${path}/todo`)).status).toBe(304)
    await p.guest.post('/todos/mark_as_done')
    await note(p.owner, path, `@${p.guest.username} again`)
    expect(await todosOf(p.guest)).toEqual([['directly_addressed', title]])
    expect(await todosOf(p.guest, '?state=done')).toEqual([['assigned', title]])
  })

  test('whatever the notification level, and not to who did it', async () => {
    const p = await w.project()
    await p.guest.put(`/projects/${p.id}/notification_settings`, { level: 'disabled' })
    const { title } = await issueOf(p, { assignee_ids: [p.guest.id, p.owner.id] })
    expect(await todosOf(p.guest)).toEqual([['assigned', title]])
    expect(await todosOf(p.owner)).toEqual([])
  })

  test('to reviewers and assignees of merge requests, and from reviews', async () => {
    const p = await branchedProject(undefined, w)
    const { path, body } = await openMergeRequest(p, p.developer, {
      reviewer_ids: [p.maintainer.id],
      assignee_ids: [p.reporter.id],
    })
    expect(await todosOf(p.maintainer)).toEqual([['review_requested', body.title]])
    expect(await todosOf(p.reporter, '?type=MergeRequest')).toEqual([['assigned', body.title]])
    expect(await todosOf(p.reporter, '?type=Issue')).toEqual([])
    await p.reporter.post('/todos/mark_as_done')
    expect((await p.maintainer.post(`${path}/approve`)).status).toBe(201)
    expect(await todosOf(p.maintainer)).toEqual([])
    const marked = await p.maintainer.post(`${path}/todo`)
    expect(marked).toMatchObject({
      status: 201,
      body: { action_name: 'marked', target_type: 'MergeRequest', target: { id: body.id, iid: body.iid } },
    })
    expect(marked.body.project.id).toBe(p.id)
    expect((await p.maintainer.post(`${path}/todo`)).status).toBe(304)
    await note(p.owner, path, '/todo')
    expect(await todosOf(p.owner)).toEqual([['marked', body.title]])
  })
})

describe('a to-do about a merge request comes', () => {
  test('to its assignees when a reviewer ends their review', async () => {
    const p = await branchedProject(undefined, w)
    const { path, body } = await openMergeRequest(p, p.developer, {
      reviewer_ids: [p.maintainer.id],
      assignee_ids: [p.reporter.id],
    })
    await everybodyTold()
    await p.reporter.post('/todos/mark_as_done')
    expect((await note(p.maintainer, path, '/submit_review')).status).toBe(202)
    expect(await todosOf(p.reporter)).toEqual([['review_submitted', body.title]])
    expect(await todosOf(p.reporter, '?action=review_submitted')).toHaveLength(1)
    expect(await todosOf(p.maintainer)).toEqual([])
    expect(await todosOf(p.developer)).toEqual([])
  })

  test('to whoever a pipeline runs for when it failed, and only then', async () => {
    const p = await branchedProject(undefined, w)
    const { body } = await openMergeRequest(p, p.developer)
    const finished = (status: 'success' | 'failed', merge_request_id: number | null) =>
      w.write(async (tx) => {
        const details = { fixed: false, user_id: p.developer.id, ref: 'feature', sha: body.sha }
        record(
          { ...tx, author: null },
          {
            name: 'pipeline finished',
            namespace: p.namespaceId,
            target: null,
            details: { ...details, status, merge_request_id },
          },
        )
      })
    await finished('success', body.id)
    await finished('failed', null)
    expect(await todosOf(p.developer)).toEqual([])
    await finished('failed', body.id)
    expect(await todosOf(p.developer)).toEqual([['build_failed', body.title]])
    expect(await todosOf(p.maintainer)).toEqual([])
  })

  test('to its author, with a mail, when its branches conflict from now on, and once', async () => {
    const p = await branchedProject(undefined, w)
    const { path, body } = await openMergeRequest(p, p.developer, { assignee_ids: [p.reporter.id] })
    const becomes = async (status: string): Promise<void> => {
      await expect.poll(async () => (await p.owner.get(path)).body.detailed_merge_status).toBe(status)
    }
    const push = (branch: string, content: string) =>
      p.owner.post(`/projects/${p.id}/repository/commits`, {
        branch,
        commit_message: content,
        actions: [{ action: 'update', file_path: 'a.txt', content }],
      })
    await becomes('mergeable')
    await everybodyTold()
    const before = (await subjectsOf(p.developer)).length
    expect((await push('main', 'uno\n')).status).toBe(201)
    await becomes('conflict')
    expect(await todosOf(p.developer)).toEqual([['unmergeable', body.title]])
    expect((await push('main', 'due\n')).status).toBe(201)
    await becomes('conflict')
    const told = (await mailsOf(p.developer)).slice(before)
    expect(told.map(({ text }) => text?.split('\n')[0])).toEqual([
      'The merge request has conflicts, so it cannot be merged.',
    ])
    expect(await todosOf(p.developer)).toHaveLength(1)
    expect(await todosOf(p.reporter)).toEqual([['assigned', body.title]])
  })
})

describe('a to-do is done', () => {
  const acts: Record<string, (by: Actor, path: string) => Promise<unknown>> = {
    'comments on it': (by, path) => note(by, path, 'Done'),
    'closes it': (by, path) => by.put(path, { state_event: 'close' }),
    'reacts to it': (by, path) => by.post(`${path}/award_emoji`, { name: 'eyes' }),
    'says /done': (by, path) => note(by, path, '/done'),
  }
  test.each(Object.entries(acts))('when its owner %s, and stays with the others', async (_, act) => {
    const p = await w.project()
    const { path, title } = await issueOf(p, { assignee_ids: [p.planner.id, p.guest.id] })
    expect(await todosOf(p.planner)).toHaveLength(1)
    await act(p.planner, path)
    expect(await todosOf(p.planner)).toEqual([])
    expect(await todosOf(p.planner, '?state=done')).toEqual([['assigned', title]])
    expect(await todosOf(p.guest)).toEqual([['assigned', title]])
  })

  test('by what its owner did before it came: no', async () => {
    const p = await w.project()
    const { path, title } = await issueOf(p)
    await note(p.guest, path, 'Mine')
    await p.guest.post(`${path}/todo`)
    expect(await todosOf(p.guest)).toEqual([['marked', title]])
  })
})

test('/todo and /done say what they did, and may be said again', async () => {
  const p = await w.project()
  const { path, title } = await issueOf(p)
  const added = await note(p.guest, path, '/todo')
  expect(added).toMatchObject({ status: 202, body: { commands_changes: { todo_event: 'add' } } })
  expect((await note(p.guest, path, '/todo')).status).toBe(202)
  expect(await todosOf(p.guest)).toEqual([['marked', title]])
  expect((await note(p.guest, path, '/done')).body.commands_changes).toEqual({ todo_event: 'done' })
  expect(await todosOf(p.guest)).toEqual([])
})

test('to-dos about epics have a group, and follow its rights', async () => {
  const group = await w.group()
  const epic = await w.write(
    (tx) => createEpic(tx, { namespace_id: group.id }, { title: 'A year' }),
    group.owner,
  )
  await w.db
    .insertInto('todos')
    .values({
      user_id: group.guest.id,
      author_id: group.owner.id,
      noteable_id: epic.id,
      action: 'mentioned',
      created_at: w.clock.now().toISOString(),
      updated_at: w.clock.now().toISOString(),
    })
    .execute()
  const { body } = await group.guest.get(`/todos?group_id=${group.id}&type=Epic`)
  expect(body).toMatchObject([
    { group: { id: group.id, kind: 'group' }, target_type: 'Epic', target: { title: 'A year' } },
  ])
  expect(body[0]).not.toHaveProperty('project')
  await w.db.updateTable('epics').set({ confidential: true }).where('id', '=', epic.id).execute()
  expect((await group.guest.get('/todos')).body).toEqual([])
})

describe('nobody learns what they may not read', () => {
  const all = (p: Project) => [p.guest, p.planner, p.reporter, p.developer, p.maintainer, p.stranger]
  const mentioned = (p: Project) =>
    all(p)
      .map(({ username }) => `@${username}`)
      .join(' ')

  test('of a confidential issue: Planners and above, and who takes part', async () => {
    const p = await w.project({ visibility: 'public' })
    await issueOf(p, { confidential: true, description: mentioned(p) })
    await everybodyTold()
    const told = await toldOf(all(p))
    expect(told).toEqual([
      [0, 0],
      [1, 1],
      [1, 1],
      [1, 1],
      [1, 1],
      [0, 0],
    ])
  })

  test('of an internal note: Planners and above', async () => {
    const p = await w.project({ visibility: 'public' })
    const { path } = await issueOf(p)
    await p.guest.post(`${path}/subscribe`)
    await note(p.owner, path, `Secret: ${mentioned(p)}`, { internal: true })
    expect(await toldOf(all(p))).toEqual([
      [0, 0],
      [1, 1],
      [1, 1],
      [1, 1],
      [1, 1],
      [0, 0],
    ])
  })

  test('of a merge request: whoever can open it, whatever their role', async () => {
    const p = await branchedProject(undefined, w)
    const { path } = await openMergeRequest(p, p.owner, { description: mentioned(p) })
    const told = await toldOf(all(p))
    const readers = await Promise.all(all(p).map(async (one) => (await one.get(path)).status === 200))
    expect(new Set(readers)).toEqual(new Set([true, false]))
    expect(told).toEqual(readers.map((reads) => (reads ? [1, 1] : [0, 0])))
  })

  test('of a private project: its members; of a switched-off feature: members', async () => {
    const p = await w.project()
    await issueOf(p, { description: mentioned(p) })
    expect((await toldOf(all(p))).at(-1)).toEqual([0, 0])
    const q = await w.project({ visibility: 'public' })
    await q.owner.put(`/projects/${q.id}`, { issues_access_level: 'private' })
    await issueOf(q, { description: mentioned(q) })
    expect(await toldOf([q.guest, q.stranger])).toEqual([
      [1, 1],
      [0, 0],
    ])
  })

  test('by rights at the time of sending: a subscriber who left, or was blocked, gets nothing', async () => {
    const p = await w.project()
    const { path } = await issueOf(p)
    const [left, blocked] = [await w.user(), await w.user()]
    for (const one of [left, blocked]) {
      await w.member(p.namespaceId, one, levels.guest)
      await one.post(`${path}/subscribe`)
    }
    expect((await p.owner.delete(`/projects/${p.id}/members/${left.id}`)).status).toBe(204)
    expect((await w.root.post(`/users/${blocked.id}/block`)).status).toBe(201)
    await note(p.owner, path, `@${left.username} @${blocked.username}`)
    expect(await toldOf([left, blocked])).toEqual([
      [0, 0],
      [0, 0],
    ])
  })

  test('of a note that became unreadable, its to-do says no more', async () => {
    const p = await w.project()
    const { path, title } = await issueOf(p)
    const person = await w.user()
    await w.member(p.namespaceId, person, levels.planner)
    await note(p.owner, path, `@${person.username} the secret`, { internal: true })
    await everybodyTold()
    expect((await person.get('/todos')).body).toMatchObject([{ body: `@${person.username} the secret` }])
    await p.owner.put(`/projects/${p.id}/members/${person.id}`, { access_level: levels.guest })
    const { body } = await person.get('/todos')
    expect(body).toMatchObject([{ body: title }])
    expect(body[0].target_url).not.toContain('note_')
  })
})

/** How many mails and to-dos each of them got. */
async function toldOf(people: readonly Actor[]): Promise<[number, number][]> {
  await everybodyTold()
  return Promise.all(
    people.map(async (one): Promise<[number, number]> => {
      const { rows } = await sql<{ todos: number }>`
        select count(*)::integer as todos from todos where user_id = ${one.id}`.execute(w.db)
      return [(await subjectsOf(one)).length, rows[0]?.todos ?? 0]
    }),
  )
}

describe('a mention in a note on a commit', () => {
  const told = async (actor: Actor) => {
    await everybodyTold()
    return (await actor.get('/todos')).body
  }

  test('is a to-do about the commit, until its owner answers', async () => {
    const p = await branchedProject({}, w)
    const list = `/projects/${p.id}/repository/commits`
    const [commit] = (await p.reporter.get(list)).body
    const path = `${list}/${commit.id}`
    await p.owner.post(`${path}/comments`, { note: `@${p.reporter.username} is that right?` })
    const [todo] = await told(p.reporter)
    expect(todo).toMatchObject({
      action_name: 'directly_addressed',
      author: { id: p.owner.id },
      project: { id: p.id },
      target_type: 'Commit',
      target: commit,
      target_url: expect.stringMatching(new RegExp(`/-/commit/${commit.id}#note_\\d+$`)),
      body: `@${p.reporter.username} is that right?`,
      state: 'pending',
    })
    expect((await p.reporter.get('/todos?type=Commit')).body).toEqual([todo])
    expect((await p.reporter.get('/todos?type=Issue')).body).toEqual([])
    const { body: threads } = await p.owner.get(`${path}/discussions`)
    await p.reporter.post(`${path}/discussions/${threads[0].id}/notes`, { body: 'It is' })
    expect(await told(p.reporter)).toEqual([])
    // A thread on the same commit names somebody, too.
    await p.owner.post(`${path}/discussions`, { body: `See @${p.developer.username}` })
    expect(await told(p.developer)).toMatchObject([
      { action_name: 'mentioned', target: { id: commit.id, message: commit.message } },
    ])
  })

  test('is neither listed nor counted while what it shows is not kept, and comes back with a reply or an edit', async () => {
    const p = await branchedProject({}, w)
    const list = `/projects/${p.id}/repository/commits`
    const [{ id: sha }] = (await p.reporter.get(list)).body
    const path = `${list}/${sha}/discussions`
    const { body: thread } = await p.owner.post(path, { body: `@${p.reporter.username} look` })
    const counts = async () => {
      const { body, headers } = await p.reporter.get('/todos')
      const { body: user } = await p.reporter.get('/user_counts')
      return [body.length, headers.get('x-total'), user.todos]
    }
    await everybodyTold()
    expect(await counts()).toEqual([1, '1', 1])
    const forget = () => w.db.deleteFrom('kept_commits').where('project_id', '=', p.id).execute()
    await forget()
    expect(await counts()).toEqual([0, '0', 0])
    expect((await p.owner.post(`${path}/${thread.id}/notes`, { body: 'Please' })).status).toBe(201)
    expect(await counts()).toEqual([1, '1', 1])
    await forget()
    const note = `${path}/${thread.id}/notes/${thread.notes[0].id}`
    expect((await p.owner.put(note, { body: `@${p.reporter.username} look here` })).status).toBe(200)
    expect(await counts()).toEqual([1, '1', 1])
  })

  test('is left out of the list when what was kept cannot be read', async () => {
    const p = await branchedProject({}, w)
    const list = `/projects/${p.id}/repository/commits`
    for (const { id } of (await p.reporter.get(list)).body.slice(0, 2))
      await p.owner.post(`${list}/${id}/comments`, { note: `@${p.reporter.username} look` })
    const [newest, oldest] = await told(p.reporter)
    await w.db
      .updateTable('kept_commits')
      .set({ content: JSON.stringify({ title: 7 }) })
      .where('sha', '=', newest.target.id)
      .where('project_id', '=', p.id)
      .execute()
    expect(await told(p.reporter)).toEqual([oldest])
    expect((await p.reporter.post(`/todos/${newest.id}/mark_as_done`)).status).toBe(404)
  })

  test('is none for who cannot read the code, also later', async () => {
    const p = await branchedProject({ visibility: 'public' }, w)
    const list = `/projects/${p.id}/repository/commits`
    const [{ id }] = (await p.reporter.get(list)).body
    const note = `@${p.stranger.username} and @${p.guest.username}`
    await p.owner.post(`${list}/${id}/comments`, { note })
    expect(await told(p.stranger)).toHaveLength(1)
    await p.owner.put(`/projects/${p.id}`, { repository_access_level: 'private' })
    expect(await told(p.stranger)).toEqual([])
    expect((await p.stranger.get('/todos')).headers.get('x-total')).toBe('0')
    await p.owner.post(`${list}/${id}/comments`, { note: `@${p.stranger.username} again` })
    expect(await told(p.stranger)).toEqual([])
    const hidden = await branchedProject({}, w)
    const [first] = (await hidden.reporter.get(`/projects/${hidden.id}/repository/commits`)).body
    await hidden.owner.post(`/projects/${hidden.id}/repository/commits/${first.id}/comments`, {
      note: `@${hidden.guest.username} @${hidden.stranger.username}`,
    })
    expect([await told(hidden.guest), await told(hidden.stranger)]).toEqual([[], []])
  })
})
