import { describe, expect, it, vi } from 'vitest'
import { w } from '#test/world.ts'
import { commitFiles } from '#code/repositories/test-support.ts'
import { archive } from './archive.ts'
import { blame } from './blame.ts'
import { contributors } from './contributors.ts'
import { diff, statsOfCommits } from './diff.ts'
import { divergenceOf, log } from './history.ts'
import { addCommit } from './new-commit.ts'
import { readCommit, readCommits } from './objects.ts'
import { PackWriter } from './pack-writer.ts'
import { Quarantine } from './quarantine.ts'
import { listReferences } from './references.ts'
import { resolve, resolveCommit } from './resolve.ts'
import { findEntry, listFolder } from './tree.ts'

async function repositoryWith(...commits: readonly Record<string, string | null>[]) {
  const { repositories } = w.running.services
  const project = await w.project()
  const repository = await repositories.ensure({ kind: 'project', project: project.id })
  const ids: string[] = []
  for (const [index, files] of commits.entries()) {
    ids.push(await commitFiles(repositories, repository, files, { message: `Commit ${index + 1}\n\nWhy.` }))
  }
  return { repository: { ...repository, row: repository.row }, ids, project, repositories }
}

describe('reading', () => {
  it('finds commits by branches, ids, beginnings of ids and steps back', async () => {
    const { repository, ids } = await repositoryWith({ a: '1' }, { a: '2' })
    const [first = '', second = ''] = ids
    expect(await resolveCommit(repository, 'main')).toBe(second)
    expect(await resolveCommit(repository, 'HEAD')).toBe(second)
    expect(await resolveCommit(repository, 'refs/heads/main')).toBe(second)
    expect(await resolveCommit(repository, 'main~1')).toBe(first)
    expect(await resolveCommit(repository, 'main^')).toBe(first)
    expect(await resolveCommit(repository, first)).toBe(first)
    expect(await resolveCommit(repository, first.slice(0, 8))).toBe(first)
    for (const name of [
      'nope',
      '-x',
      '--all',
      ':/Commit',
      'main:a',
      '@{-1}',
      'main@{1}',
      '',
      'a\nb',
      'a\0b',
      '0'.repeat(40),
    ]) {
      expect([name, await resolve(repository, name)]).toEqual([name, undefined])
    }
  })

  it('reads commits, trees, entries and differences', async () => {
    const { repository, ids } = await repositoryWith(
      { 'README.md': '# Hello\n', 'src/a/b.txt': 'b\n', 'src/c.txt': 'c\n' },
      { 'README.md': '# Hello\nworld\n', 'src/c.txt': null, 'new\nline "quoted" é.txt': 'x\n' },
    )
    const [first = '', second = ''] = ids
    const commit = await readCommit(repository, second)
    expect(commit).toMatchObject({
      parents: [first],
      title: 'Commit 2',
      message: 'Commit 2\n\nWhy.',
      author: { name: 'Ada', email: 'ada@example.com', at: expect.stringMatching(/\.000\+00:00$/) },
    })
    const tree = await listFolder(repository, first)
    expect(tree?.map(({ path, type, mode }) => [path, type, mode])).toEqual([
      ['src', 'tree', '040000'],
      ['README.md', 'blob', '100644'],
    ])
    expect(await listFolder(repository, first, 'nowhere')).toBeUndefined()
    expect(await listFolder(repository, first, '../..')).toBeUndefined()
    expect(await findEntry(repository, second, 'new\nline "quoted" é.txt')).toMatchObject({ type: 'blob' })
    const changes = await diff(repository, first, second)
    expect(changes.files.map(({ newPath, status, patch }) => [newPath, status, patch])).toEqual([
      ['README.md', 'modified', '@@ -1 +1,2 @@\n # Hello\n+world\n'],
      ['new\nline "quoted" é.txt', 'added', '@@ -0,0 +1 @@\n+x\n'],
      ['src/c.txt', 'deleted', '@@ -1 +0,0 @@\n-c\n'],
    ])
    expect(await statsOfCommits(repository, await readCommits(repository, ids))).toEqual(
      new Map([
        [first, { additions: 3, deletions: 0 }],
        [second, { additions: 2, deletions: 1 }],
      ]),
    )
    const commits = await log(repository, { from: [second], paths: ['src/c.txt'] }, { skip: 0, limit: 10 })
    expect(commits.map(({ id }) => id)).toEqual([second, first])
    expect(await contributors(repository, second)).toEqual([
      { name: 'Ada', email: 'ada@example.com', commits: 2 },
    ])
    const lines = await blame(repository, second, 'README.md')
    expect(lines.map(({ commit, lines }) => [commit, lines])).toEqual([
      [first, ['# Hello']],
      [second, ['world']],
    ])
    expect(await listReferences(repository, 'refs/heads/')).toEqual([{ name: 'refs/heads/main', id: second }])
    const bytes = await archive(repository, first, { format: 'tar.gz', prefix: 'x/' })
    let size = 0
    for await (const piece of bytes) size += Buffer.from(piece).length
    expect(size).toBeGreaterThan(100)
  })

  it('keeps in the row what lists show', async () => {
    const { repository, ids, project, repositories } = await repositoryWith({ a: '1' }, { a: '2' })
    const found = await repositories.ofProject(project.id)
    expect(found?.row).toMatchObject({
      default_branch: 'main',
      last_commit_sha: ids[1],
      commit_count: 2,
      branch_count: 1,
      tag_count: 0,
      version: 2,
    })
    expect(found?.folder).toBe(repository.folder)
    const facts = await w.db
      .selectFrom('facts')
      .select('details')
      .where('namespace_id', '=', project.namespaceId)
      .where('name', '=', 'references pushed')
      .orderBy('id')
      .execute()
    expect(facts.map(({ details }) => details)).toEqual([
      expect.objectContaining({
        action: 'created',
        ref: 'main',
        commit_count: 1,
        commit_from: null,
        commit_to: ids[0],
        commit_title: 'Commit 1',
      }),
      expect.objectContaining({
        action: 'pushed',
        commit_count: 1,
        commit_from: ids[0],
        commit_to: ids[1],
        commit_title: 'Commit 2',
      }),
    ])
  })
})

describe('what two commits have apart', () => {
  it('is listed while it is little, and counted when it is much', async () => {
    const { repository, ids, repositories } = await repositoryWith({ a: '1' }, { a: '2' }, { a: '3' })
    const [first = '', second = '', third = ''] = ids
    expect(await divergenceOf(repository, first, third)).toEqual({
      added: 2,
      removed: 0,
      brought: [third, second],
    })
    expect(await divergenceOf(repository, third, first)).toEqual({ added: 0, removed: 2, brought: [] })
    const pack = new PackWriter()
    const by = { name: 'Ada', email: 'ada@example.com', time: 0 }
    const { tree = '' } = (await readCommit(repository, third)) ?? {}
    let tip = third
    for (let count = 0; count < 1_001; count += 1) {
      tip = addCommit(pack, { tree, parents: [tip], author: by, committer: by, message: `More ${count}` })
    }
    await using quarantine = await Quarantine.open(repository)
    await quarantine.add(pack)
    await quarantine.keep()
    expect(await divergenceOf(repository, third, tip)).toEqual({
      added: 1_001,
      removed: 0,
      brought: undefined,
    })
    expect(repositories.git.kept.usage.bytes).toBeGreaterThan(0)
  })
})

describe('commits that the program makes', () => {
  it('come into the repository without a process, once, and git finds nothing wrong with them', async () => {
    const { repository, ids, repositories } = await repositoryWith({ a: '1' })
    const [first = ''] = ids
    const { tree = '' } = (await readCommit(repository, first)) ?? {}
    const by = { name: '<Ada>\n', email: '', time: 1_000, zone: '+0200' }
    const { git } = repositories
    const starting = vi.spyOn(git, 'start')
    const make = async () => {
      const pack = new PackWriter()
      const id = addCommit(pack, {
        tree,
        parents: [first],
        author: by,
        committer: by,
        message: 'Zero\0 byte',
      })
      await using quarantine = await Quarantine.open(repository)
      await quarantine.add(pack)
      await quarantine.add(pack)
      await quarantine.keep()
      return id
    }
    const made = await make()
    expect(await make()).toBe(made)
    const commands = starting.mock.calls.flatMap(([at, [command]]) =>
      at?.folder === repository.folder ? command : [],
    )
    starting.mockRestore()
    expect(commands).not.toContain('index-pack')
    expect(await readCommit(repository, made)).toMatchObject({ message: 'Zero byte', parents: [first] })
    await git.capture(repository, ['fsck', '--strict', '--no-dangling'])
  })
})
