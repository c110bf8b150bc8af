import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

const files = [
  { filePath: 'a.txt', content: 'A' },
  { filePath: 'b.md', content: '# B' },
]

describe('people who share snippets', () => {
  test('with @gitbeaker/rest: Snippets', async () => {
    const user = await w.user()
    const { Snippets } = new Gitlab({ host: w.url, token: user.token })
    const made = await Snippets.create('Two files', { files, visibility: 'public', description: 'For all' })
    expect(made).toMatchObject({ title: 'Two files', file_name: 'a.txt', project_id: null })
    expect(await Snippets.show(made.id)).toEqual(made)
    expect(await Snippets.showContent(made.id)).toBe('A')
    expect(await Snippets.showRepositoryFileContent(made.id, 'main', 'b.md')).toBe('# B')
    const changed = await Snippets.edit(made.id, {
      description: 'One file',
      files: [{ action: 'delete', filePath: 'a.txt' }],
    })
    expect(changed).toMatchObject({ description: 'One file', files: [{ path: 'b.md' }] })
    expect((await Snippets.all()).map(({ id }) => id)).toContain(made.id)
    expect((await Snippets.all({ public: true })).map(({ id }) => id)).toContain(made.id)
    await Snippets.remove(made.id)
    await expect(Snippets.show(made.id)).rejects.toMatchObject({
      cause: { description: '404 Snippet Not Found', response: { status: 404 } },
    })
  })

  test('with @gitbeaker/rest: ProjectSnippets, and what is said about them', async () => {
    const { id: project, developer, guest } = await w.project()
    const api = new Gitlab({ host: w.url, token: developer.token })
    const { ProjectSnippets } = api
    const made = await ProjectSnippets.create(project, 'A snippet', { files, visibility: 'private' })
    expect(made).toMatchObject({ project_id: project, visibility: 'private' })
    expect((await ProjectSnippets.all(project)).map(({ id }) => id)).toEqual([made.id])
    expect(await ProjectSnippets.showContent(project, made.id)).toBe('A')
    expect(await ProjectSnippets.showRepositoryFileContent(project, made.id, 'main', 'b.md')).toBe('# B')
    const changed = await ProjectSnippets.edit(project, made.id, {
      files: [{ action: 'move', previousPath: 'b.md', filePath: 'c.md' }],
    })
    expect(changed.files).toMatchObject([{ path: 'a.txt' }, { path: 'c.md' }])
    const reader = new Gitlab({ host: w.url, token: guest.token })
    const note = await reader.ProjectSnippetNotes.create(project, made.id, 'Well said')
    expect(note).toMatchObject({ noteable_type: 'Snippet', noteable_id: made.id })
    await reader.ProjectSnippetNotes.edit(project, made.id, note.id, { body: 'Very well said' })
    expect(await api.ProjectSnippetNotes.all(project, made.id)).toMatchObject([{ body: 'Very well said' }])
    await reader.ProjectSnippetDiscussions.create(project, made.id, 'Why so?')
    expect(await api.ProjectSnippetDiscussions.all(project, made.id)).toHaveLength(2)
    await reader.ProjectSnippetAwardEmojis.award(project, made.id, 'tada')
    expect(await api.ProjectSnippetAwardEmojis.all(project, made.id)).toMatchObject([{ name: 'tada' }])
    await reader.ProjectSnippetNotes.remove(project, made.id, note.id)
    await ProjectSnippets.remove(project, made.id)
    expect(await ProjectSnippets.all(project)).toEqual([])
  })

  test.skipIf(!hasPythonGitlab)('with python-gitlab', { timeout: 180_000 }, async () => {
    await expectHeld('snippets.py', w.url, w.root.token, unique('x'))
  })
})
