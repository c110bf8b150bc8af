import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { giveSample } from '#test/repositories.ts'
import { w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

describe('people who write to a repository', () => {
  test('with @gitbeaker/rest', async () => {
    const project = await w.project()
    const { id, developer, maintainer } = project
    await giveSample(project)
    const api = new Gitlab({ host: w.url, token: developer.token })

    expect((await api.Branches.create(id, 'feature/a.b', 'main')).name).toBe('feature/a.b')
    expect((await api.Branches.show(id, 'feature/a.b')).can_push).toBe(true)
    const found = await api.Branches.all(id, { search: '^feature' })
    expect(found.map(({ name }) => name)).toEqual(['feature/a.b'])
    await api.Branches.remove(id, 'feature/a.b')

    const commit = await api.Commits.create(
      id,
      'work',
      'Work',
      [
        { action: 'create', filePath: 'a.txt', content: 'a\n' },
        { action: 'move', filePath: 'docs/README.md', previousPath: 'README.md' },
      ],
      { startBranch: 'main' },
    )
    expect(commit).toMatchObject({ title: 'Work', author_name: developer.username })
    await api.Branches.create(id, 'picked', 'main')
    await api.Commits.cherryPick(id, commit.id, 'picked')
    expect(await api.RepositoryFiles.showRaw(id, 'a.txt', 'picked')).toBe('a\n')
    await api.Commits.revert(id, 'picked', 'picked')
    expect(await api.RepositoryFiles.showRaw(id, 'README.md', 'picked')).toContain('# Sample')

    expect(await api.RepositoryFiles.create(id, 'src/b.txt', 'work', 'b', 'Add b')).toEqual({
      file_path: 'src/b.txt',
      branch: 'work',
    })
    await api.RepositoryFiles.edit(id, 'src/b.txt', 'work', 'bb', 'Change b')
    expect(await api.RepositoryFiles.showRaw(id, 'src/b.txt', 'work')).toBe('bb')
    await api.RepositoryFiles.remove(id, 'src/b.txt', 'work', 'Remove b')

    expect(await api.Tags.create(id, 'v1', 'main', { message: 'First' })).toMatchObject({
      name: 'v1',
      message: 'First',
    })
    expect((await api.Tags.all(id)).map(({ name }) => name)).toContain('v1')
    await api.Tags.remove(id, 'v1')

    const mine = new Gitlab({ host: w.url, token: maintainer.token })
    await mine.ProtectedBranches.create(id, 'rel*', { pushAccessLevel: 0 })
    expect((await mine.ProtectedBranches.show(id, 'rel*')).push_access_levels?.[0]?.access_level).toBe(0)
    await expect(api.Branches.create(id, 'rel1', 'main')).rejects.toMatchObject({
      cause: { response: { status: 403 } },
    })
    await mine.ProtectedBranches.remove(id, 'rel*')
    expect((await mine.ProtectedTags.create(id, 'v*')).name).toBe('v*')

    const fork = await api.Projects.fork(id, { path: 'copy', name: 'copy' })
    expect((await api.Projects.allForks(id)).map((one) => one.id)).toEqual([fork.id])
  })

  test.skipIf(!hasPythonGitlab)('with python-gitlab', { timeout: 180_000 }, async () => {
    const project = await w.project()
    await giveSample(project)
    await expectHeld(
      'repository-writes.py',
      w.url,
      project.developer.token,
      `${project.id}`,
      project.maintainer.token,
    )
  })
})
