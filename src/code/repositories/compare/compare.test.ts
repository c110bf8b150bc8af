import { describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { commits, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'

/** Two branches that part after the first commit. */
async function parted() {
  const project = await w.project()
  const stream = commits(
    { message: 'Begin', files: { 'a.txt': 'one\n', 'old.txt': 'a\nb\nc\nd\ne\n' } },
    { message: 'On main', files: { 'main.txt': 'm\n' } },
  )
  await importInto(project, stream)
  const other = Buffer.concat([
    Buffer.from('reset refs/heads/feature\nfrom refs/heads/main~1\n\n'),
    commits(
      { branch: 'feature', message: 'Change', files: { 'a.txt': 'two\n' } },
      { branch: 'feature', message: 'Rename', files: { 'old.txt': null, 'new.txt': 'a\nb\nc\nd\ne\n' } },
    ),
  ])
  const repository = await importInto(project, other)
  return { ...project, repository, compare: `/projects/${project.id}/repository/compare` }
}

const titles = (list: { title: string }[]) => list.map(({ title }) => title)

describe('GET /projects/:id/repository/compare', () => {
  test('tells what one branch has and the other has not', async () => {
    const { reporter, compare, fullPath } = await parted()
    const { status, body } = await reporter.get(`${compare}?from=main&to=feature`)
    expect(status).toBe(200)
    expect(titles(body.commits)).toEqual(['Change', 'Rename'])
    expect(body.commit.title).toBe('Rename')
    expect(body).toMatchObject({
      compare_timeout: false,
      compare_same_ref: false,
      web_url: `${w.url}/${fullPath}/-/compare/main...feature`,
    })
    expect(body.diffs).toEqual([
      {
        diff: '@@ -1 +1 @@\n-one\n+two\n',
        collapsed: false,
        too_large: false,
        new_path: 'a.txt',
        old_path: 'a.txt',
        a_mode: '100644',
        b_mode: '100644',
        new_file: false,
        renamed_file: false,
        deleted_file: false,
        generated_file: null,
      },
      expect.objectContaining({ diff: '', old_path: 'old.txt', new_path: 'new.txt', renamed_file: true }),
    ])
  })

  test('compares with the branch itself when straight', async () => {
    const { reporter, compare } = await parted()
    const { body } = await reporter.get(`${compare}?from=main&to=feature&straight=true&unidiff=true`)
    expect(titles(body.commits)).toEqual(['Change', 'Rename'])
    expect(body.diffs.map((one: { diff: string }) => one.diff)).toEqual([
      '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n',
      '--- a/main.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-m\n',
      '',
    ])
  })

  test('finds nothing between a branch and itself', async () => {
    const { reporter, compare } = await parted()
    const { body } = await reporter.get(`${compare}?from=main&to=main`)
    expect(body).toMatchObject({ commit: null, commits: [], diffs: [], compare_same_ref: true })
  })

  test('compares histories without a common commit', async () => {
    const { id, reporter, compare } = await parted()
    await importInto({ id }, commits({ branch: 'orphan', message: 'Alone', files: { 'a.txt': 'one\n' } }))
    const { body } = await reporter.get(`${compare}?from=main&to=orphan`)
    expect(titles(body.commits)).toEqual(['Alone'])
    expect(body.diffs).toHaveLength(2)
  })

  test('refuses what is not there', async () => {
    const { id, reporter, compare } = await parted()
    expect((await reporter.get(`${compare}?from=main`)).body.error).toBe('to is missing')
    for (const query of [
      'from=nowhere&to=main',
      'from=main&to=nowhere',
      'from=--all&to=main',
      'from=main&to=main:a.txt',
    ]) {
      const { status, body } = await reporter.get(`${compare}?${query}`)
      expect([status, body]).toEqual([404, { message: '404 Commit Not Found' }])
    }
    const hidden = await w.project()
    const other = `${compare}?from=main&to=main&from_project_id`
    expect((await reporter.get(`${other}=${hidden.id}`)).status).toBe(404)
    await w.member(hidden.namespaceId, reporter, levels.guest)
    expect((await reporter.get(`${other}=${hidden.id}`)).status).toBe(403)
    expect((await reporter.get(`${other}=${id}`)).status).toBe(200)
  })

  test('compares with another project', async () => {
    const { id, reporter, compare, repository } = await parted()
    const fork = await w.project()
    const { stdout } = await repository.git
      .capture(repository, ['fast-export', '--all'])
      .then(({ output }) => ({ stdout: output }))
    const copy = await importInto(
      fork,
      Buffer.concat([stdout, commits({ branch: 'topic', files: { z: 'z\n' } })]),
    )
    await importInto(fork, `reset refs/heads/old\nfrom refs/heads/main~1\n\n`)
    await w.member(fork.namespaceId, reporter, levels.reporter)
    const { status, body } = await reporter.get(`${compare}?from=old&to=main&from_project_id=${fork.id}`)
    expect([status, titles(body.commits)]).toEqual([200, ['On main']])
    const back = `/projects/${fork.id}/repository/compare?from=main&to=topic&from_project_id=${id}`
    expect((await reporter.get(back)).body.diffs).toHaveLength(4)
    expect(copy.id).not.toBe(repository.id)
  })
})

describe('GET /projects/:id/repository/merge_base', () => {
  test('finds the common commit', async () => {
    const { id, reporter, repository } = await parted()
    const path = `/projects/${id}/repository/merge_base`
    const { status, body } = await reporter.get(`${path}?refs[]=main&refs[]=feature`)
    expect([status, body.title]).toEqual([200, 'Begin'])
    const sha = repository.row.last_commit_sha
    expect((await reporter.get(`${path}?refs[]=main&refs[]=${sha}&refs[]=main`)).body.id).toBe(sha)
  })

  test('refuses what has none', async () => {
    const { id, reporter } = await parted()
    await importInto({ id }, commits({ branch: 'orphan', files: { x: 'x' } }))
    const path = `/projects/${id}/repository/merge_base`
    const answer = async (query: string) => {
      const { status, body } = await reporter.get(`${path}?${query}`)
      return [status, body.message]
    }
    expect(await answer('refs[]=main&refs[]=orphan')).toEqual([404, '404 Merge Base Not Found'])
    expect(await answer('refs[]=main')).toEqual([400, '400 Bad request - Provide at least 2 refs'])
    expect(await answer('refs[]=main&refs[]=no')).toEqual([400, '400 Bad request - Could not find ref: no'])
    expect((await reporter.get(path)).body.error).toBe('refs is missing')
  })
})
