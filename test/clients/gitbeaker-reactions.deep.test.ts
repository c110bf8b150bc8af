import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'

describe('@gitbeaker/rest', () => {
  test('reacts to an issue and to a note on it, and takes back', async () => {
    const user = await w.user()
    const api = new Gitlab({ host: w.url, token: user.token })
    const project = await api.Projects.create({ name: unique('Reactions') })
    const issue = await api.Issues.create(project.id, 'It breaks')
    const note = await w.db
      .insertInto('notes')
      .values({
        noteable_id: issue.id,
        author_id: user.id,
        body: 'A comment',
        discussion_id: Buffer.alloc(20, 1),
        starts_discussion: true,
        created_at: issue.created_at,
        updated_at: issue.created_at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()

    const vote = await api.IssueAwardEmojis.award(project.id, issue.iid, 'thumbsup')
    expect(vote).toMatchObject({ name: 'thumbsup', awardable_type: 'Issue', user: { id: user.id } })
    expect((await api.Issues.show(issue.iid, { projectId: project.id })).upvotes).toBe(1)
    const onNote = await api.IssueNoteAwardEmojis.award(project.id, issue.iid, note.id, 'tada')
    expect(onNote).toMatchObject({ awardable_type: 'Note', awardable_id: note.id })
    expect(await api.IssueNoteAwardEmojis.all(project.id, issue.iid, note.id)).toHaveLength(1)
    expect(await api.IssueNoteAwardEmojis.show(project.id, issue.iid, note.id, onNote.id)).toEqual(onNote)
    await api.IssueNoteAwardEmojis.remove(project.id, issue.iid, note.id, onNote.id)
    await api.IssueAwardEmojis.remove(project.id, issue.iid, vote.id)
    expect(await api.IssueAwardEmojis.all(project.id, issue.iid)).toEqual([])
    await expect(api.IssueAwardEmojis.award(project.id, issue.iid, 'nope')).rejects.toMatchObject({
      cause: { description: '404 Award Emoji Name is not a valid emoji name Not Found' },
    })
  })

  test('looks at who takes part in an issue, and at what was changed', async () => {
    const user = await w.user()
    const api = new Gitlab({ host: w.url, token: user.token })
    const project = await api.Projects.create({ name: unique('Events') })
    const { iid } = await api.Issues.create(project.id, 'It breaks', { labels: 'bug' })
    await api.Issues.edit(project.id, iid, { stateEvent: 'close' })
    const states = await api.IssueStateEvents.all(project.id, iid)
    expect(states).toMatchObject([{ state: 'closed', resource_type: 'Issue', user: { id: user.id } }])
    expect(await api.IssueStateEvents.show(project.id, iid, states[0]?.id ?? 0)).toEqual(states[0])
    expect(await api.IssueLabelEvents.all(project.id, iid)).toMatchObject([
      { action: 'add', label: { name: 'bug' } },
    ])
    expect(await api.IssueMilestoneEvents.all(project.id, iid)).toEqual([])
    expect(await api.Issues.allParticipants(project.id, iid)).toMatchObject([{ id: user.id }])
    await api.Issues.unsubscribe(project.id, iid)
    expect(await api.Issues.subscribe(project.id, iid)).toMatchObject({ iid, subscribed: true })
  })

  test('puts an issue on the to-do list, and marks it as done', async () => {
    const user = await w.user()
    const api = new Gitlab({ host: w.url, token: user.token })
    const project = await api.Projects.create({ name: unique('To do') })
    const issue = await api.Issues.create(project.id, 'It breaks')
    const todo = await api.Issues.createTodo(project.id, issue.iid)
    expect(todo).toMatchObject({ action_name: 'marked', target: { id: issue.id }, state: 'pending' })
    expect(await api.TodoLists.all({ projectId: project.id, state: 'pending' })).toEqual([todo])
    expect(await api.TodoLists.done({ todoId: todo.id })).toMatchObject({ id: todo.id, state: 'done' })
    await api.Issues.createTodo(project.id, issue.iid)
    await api.TodoLists.done()
    expect(await api.TodoLists.all({ projectId: project.id })).toEqual([])
  })
})
