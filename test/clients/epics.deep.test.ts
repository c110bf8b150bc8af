import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

const licensed = await w.licensed()

describe('people who plan with epics', () => {
  test('with @gitbeaker/rest', async () => {
    const { id, fullPath, maintainer } = await w.group()
    const project = await w.project({ parent: id })
    const api = new Gitlab({ host: licensed.url, token: maintainer.token })
    const epic = await api.Epics.create(id, 'One year', { labels: 'big', description: 'All of it' })
    expect(epic).toMatchObject({ iid: 1, group_id: id, labels: ['big'], state: 'opened' })
    expect(await api.Epics.show(fullPath, 1)).toMatchObject({ id: epic.id, title: 'One year' })
    const edited = await api.Epics.edit(id, 1, { stateEvent: 'close', addLabels: 'slow' })
    expect(edited).toMatchObject({ state: 'closed', labels: ['big', 'slow'] })
    await api.Epics.create(id, 'Another year')
    expect(await api.Epics.all(id, { state: 'closed', perPage: 1 })).toHaveLength(1)
    expect(await api.Epics.all(id, { search: 'year', perPage: 1 })).toHaveLength(2)

    const issue = await api.Issues.create(project.id, 'A month')
    const assigned = await api.EpicIssues.assign(id, 1, issue.id)
    expect(assigned).toMatchObject({ epic: { id: epic.id }, issue: { id: issue.id } })
    const [inEpic] = await api.EpicIssues.all(id, 1)
    expect(inEpic).toMatchObject({ id: issue.id, epic_issue_id: assigned.id, epic: { id: epic.id } })
    await api.EpicIssues.remove(id, 1, assigned.id)
    expect(await api.EpicIssues.all(id, 1)).toEqual([])

    const note = await api.EpicNotes.create(id, epic.id, 'Me too')
    expect(note).toMatchObject({ body: 'Me too', noteable_type: 'Epic', noteable_id: epic.id })
    expect((await api.EpicNotes.edit(id, epic.id, note.id, { body: 'Me *too*' })).body).toBe('Me *too*')
    const thread = await api.EpicDiscussions.create(id, epic.id, 'Why?')
    await api.EpicDiscussions.addNote(id, epic.id, thread.id, 'Because.')
    expect((await api.EpicDiscussions.show(id, epic.id, thread.id)).notes).toHaveLength(2)
    await api.EpicNotes.remove(id, epic.id, note.id)
    expect(await api.EpicLabelEvents.all(id, epic.id)).toHaveLength(2)

    const linked = await api.LinkedEpics.create(id, 1, 2, id)
    expect(linked).toMatchObject({ source_epic: { id: epic.id }, link_type: 'relates_to' })
    expect(await api.LinkedEpics.all(id, 1)).toHaveLength(1)
    await expect(api.Epics.show(id, 99)).rejects.toMatchObject({
      cause: { description: '404 Not found', response: { status: 404 } },
    })
    await expect(api.Epics.remove(id, 1)).rejects.toMatchObject({ cause: { response: { status: 403 } } })
  })

  test.skipIf(!hasPythonGitlab)('with python-gitlab', { timeout: 180_000 }, async () => {
    await expectHeld('epics.py', licensed.url, w.root.token, unique('x'))
  })
})
