import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

describe('people who discuss an issue', () => {
  test('with @gitbeaker/rest', async () => {
    const { id, developer } = await w.project()
    const api = new Gitlab({ host: w.url, token: developer.token })
    const { iid } = await api.Issues.create(id, 'It breaks', { description: 'Always.' })
    const note = await api.IssueNotes.create(id, iid, 'Me too', { internal: true })
    expect(note).toMatchObject({ body: 'Me too', internal: true, noteable_type: 'Issue', noteable_iid: iid })
    for (let count = 0; count < 24; count += 1) await api.IssueNotes.create(id, iid, `note ${count}`)
    const all = await api.IssueNotes.all(id, iid, { perPage: 10, sort: 'asc', orderBy: 'created_at' })
    expect([all.length, all[0]?.id]).toEqual([25, note.id])
    expect((await api.IssueNotes.edit(id, iid, note.id, { body: 'Me *too*' })).body).toBe('Me *too*')

    const { id: thread } = await api.IssueDiscussions.create(id, iid, 'Why?')
    const reply = await api.IssueDiscussions.addNote(id, iid, thread, 'Because.')
    await api.IssueDiscussions.editNote(id, iid, thread, reply.id, { body: 'Because!' })
    const shown = await api.IssueDiscussions.show(id, iid, thread)
    expect(shown.notes?.map(({ body }) => body)).toEqual(['Why?', 'Because!'])
    expect(await api.IssueDiscussions.all(id, iid, { perPage: 10 })).toHaveLength(26)
    await api.IssueDiscussions.removeNote(id, iid, thread, reply.id)

    await api.IssueNotes.remove(id, iid, note.id)
    await expect(api.IssueNotes.show(id, iid, note.id)).rejects.toMatchObject({
      cause: { description: '404 Note Not Found', response: { status: 404 } },
    })
    expect(await api.Issues.show(iid, { projectId: id })).toMatchObject({ user_notes_count: 25 })
  })

  test.skipIf(!hasPythonGitlab)('with python-gitlab', { timeout: 180_000 }, async () => {
    await expectHeld('notes.py', w.url, w.root.token, unique('x'))
  })
})
