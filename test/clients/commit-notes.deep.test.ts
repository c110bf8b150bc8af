import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { giveSample } from '#test/repositories.ts'
import { w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

describe('people who discuss a commit', () => {
  test('with @gitbeaker/rest', async () => {
    const project = await w.project()
    const { id, developer } = project
    const { row } = await giveSample(project)
    const sha = row.last_commit_sha ?? ''
    const api = new Gitlab({ host: w.url, token: developer.token })

    expect(await api.Commits.createComment(id, sha, 'Nice')).toMatchObject({ note: 'Nice', path: null })
    const onLine = { path: 'README.md', line: 3, lineType: 'new' } as const
    expect(await api.Commits.createComment(id, sha, 'More?', onLine)).toMatchObject({
      path: 'README.md',
      line: 3,
      line_type: 'new',
      author: { username: developer.username },
    })
    expect((await api.Commits.allComments(id, sha)).map(({ note }) => note)).toEqual(['Nice', 'More?'])

    const [base = ''] = (await api.Commits.show(id, sha)).parent_ids ?? []
    const position = {
      baseSha: base,
      startSha: base,
      headSha: sha,
      positionType: 'text',
      newPath: 'README.md',
      oldPath: 'README.md',
      newLine: '3',
    } as const
    const thread = await api.CommitDiscussions.create(id, sha, 'Why?', { position })
    expect(thread.notes?.[0]).toMatchObject({ type: 'DiffNote', position: { new_line: 3 } })
    expect(thread.notes?.[0]).not.toHaveProperty('commit_id')
    const reply = await api.CommitDiscussions.addNote(id, sha, thread.id, 'Because.')
    await api.CommitDiscussions.editNote(id, sha, thread.id, reply.id, { body: 'Because!' })
    const shown = await api.CommitDiscussions.show(id, sha, thread.id)
    expect(shown.notes?.map(({ body }) => body)).toEqual(['Why?', 'Because!'])
    expect(await api.CommitDiscussions.all(id, sha, { perPage: 1 })).toHaveLength(3)
    await api.CommitDiscussions.removeNote(id, sha, thread.id, reply.id)

    const signature = await api.Commits.showGPGSignature(id, 'signed')
    expect(signature).toMatchObject({ signature_type: 'PGP', verification_status: 'unverified' })
  })

  test.skipIf(!hasPythonGitlab)('with python-gitlab', { timeout: 180_000 }, async () => {
    const project = await w.project()
    await giveSample(project)
    await expectHeld('commit-notes.py', w.url, project.developer.token, project.id)
  })
})
