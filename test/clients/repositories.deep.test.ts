import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { giveSample } from '#test/repositories.ts'
import { w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

describe('people who read a repository', () => {
  test('with @gitbeaker/rest', async () => {
    const project = await w.project()
    const { id, developer } = project
    const { row } = await giveSample(project)
    const api = new Gitlab({ host: w.url, token: developer.token })

    const tree = await api.Repositories.allRepositoryTrees(id, { recursive: true, perPage: 1 })
    expect(tree.map(({ path }) => path).toSorted()).toEqual(['README.md', 'src', 'src/main.ts'])
    const readme = tree.find(({ path }) => path === 'README.md')?.id ?? ''
    expect(await api.Repositories.showBlob(id, readme)).toMatchObject({ size: 16, sha: readme })
    expect(await api.Repositories.showBlobRaw(id, readme)).toBe('# Sample\n\nMore.\n')

    const all = await api.Commits.all(id, { refName: 'main', perPage: 1 })
    expect(all.map(({ title }) => title)).toEqual(['Say more', 'Begin'])
    const sha = row.last_commit_sha ?? ''
    expect(await api.Commits.show(id, 'main')).toMatchObject({ id: sha, stats: { additions: 2, total: 2 } })
    expect((await api.Commits.showDiff(id, sha)).map((one) => one.new_path)).toEqual(['README.md'])
    expect(await api.Commits.allReferences(id, sha, { type: 'branch' })).toEqual([
      { type: 'branch', name: 'main' },
    ])
    expect(await api.Commits.allComments(id, sha)).toEqual([])
    await expect(api.Commits.showGPGSignature(id, sha)).rejects.toMatchObject({
      cause: { description: '404 Signature Not Found' },
    })
    await api.Commits.editStatus(id, sha, 'failed', { name: 'build', coverage: 12.5 })
    expect(await api.Commits.allStatuses(id, sha)).toMatchObject([
      { name: 'build', status: 'failed', coverage: 12.5 },
    ])

    expect(await api.RepositoryFiles.show(id, 'src/main.ts', 'main')).toMatchObject({
      file_name: 'main.ts',
      content: 'ZXhwb3J0IHt9Cg==',
    })
    expect(await api.RepositoryFiles.showRaw(id, 'README.md', 'main')).toBe('# Sample\n\nMore.\n')
    expect(await api.RepositoryFiles.allFileBlames(id, 'README.md', 'main')).toHaveLength(2)
    await expect(api.RepositoryFiles.show(id, 'missing', 'main')).rejects.toMatchObject({
      cause: { description: '404 File Not Found', response: { status: 404 } },
    })

    const { commits, diffs } = await api.Repositories.compare(id, 'main~1', 'main')
    expect([commits?.length, diffs?.length]).toEqual([1, 1])
    expect((await api.Repositories.mergeBase(id, ['main', 'signed'])).title).toBe('Begin')
    expect(await api.Repositories.allContributors(id)).toMatchObject([
      { email: 'ada@example.com', commits: 2 },
    ])
    const archive = await api.Repositories.showArchive(id, { fileType: 'zip' })
    expect(archive.size).toBeGreaterThan(100)
  })

  test.skipIf(!hasPythonGitlab)('with python-gitlab', { timeout: 180_000 }, async () => {
    const project = await w.project()
    await giveSample(project)
    await expectHeld('repositories.py', w.url, project.developer.token, project.id)
  })
})
