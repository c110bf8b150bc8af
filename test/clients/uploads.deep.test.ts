import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

test('@gitbeaker/rest uploads files, lists, downloads and deletes them', async () => {
  const user = await w.user()
  const api = new Gitlab({ host: w.url, token: user.token })
  const { id } = await api.Projects.create({ name: unique('Uploads') })
  const content = new Blob(['Text'])
  const made = await api.ProjectMarkdownUploads.create(id, { content, filename: 'notes.txt' })
  expect(made).toMatchObject({ alt: 'notes.txt', markdown: `[notes.txt](${made.url})` })
  const shown = await api.Projects.uploadForReference(id, { content, filename: 'dot.png' })
  expect(shown.markdown).toBe(`![dot](${shown.url})`)
  const listed = await api.ProjectMarkdownUploads.all(id)
  expect(listed).toMatchObject([
    { filename: 'dot.png' },
    { filename: 'notes.txt', uploaded_by: { id: user.id } },
  ])
  const [, , secret = '', filename = ''] = made.url.split('/')
  const loaded = await api.ProjectMarkdownUploads.download(id, secret, filename)
  expect(await new Response(loaded).text()).toBe('Text')
  await api.ProjectMarkdownUploads.remove(id, secret, filename)
  await api.ProjectMarkdownUploads.remove(id, listed[0]?.id ?? 0)
  expect(await api.ProjectMarkdownUploads.all(id)).toEqual([])
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('uploads files', { timeout: 180_000 }, async () => {
    await expectHeld('uploads.py', w.url, w.root.token, unique('x'))
  })
})
