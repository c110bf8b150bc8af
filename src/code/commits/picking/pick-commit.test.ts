import { describe, expect, it } from 'vitest'
import { commits, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'

/** `main`, a branch `side` with two commits of its own, and `stable`, which is behind. */
async function branched() {
  const project = await w.project()
  const repository = await importInto(
    project,
    commits(
      { message: 'Root', files: { 'a.txt': '1\n2\n3\n', 'b.txt': 'b\n' } },
      {
        branch: 'side',
        message: 'Fix a',
        merges: 'refs/heads/main',
        author: 'Bob <bob@example.com>',
        at: '1700000000 +0530',
        files: { 'a.txt': '1\nTWO\n3\n', 'b.txt': 'b\n' },
      },
      { message: 'Change b', files: { 'b.txt': 'bb\n' } },
    ),
  )
  // A commit of the side with one parent.
  await importInto(
    project,
    Buffer.concat([
      Buffer.from('reset refs/heads/side\nfrom refs/heads/main~1\n\n'),
      commits({
        branch: 'side',
        message: 'Fix a\n\nFor good.\n',
        author: 'Bob <bob@example.com>',
        at: '1700000000 +0530',
        files: { 'a.txt': '1\nTWO\n3\n' },
      }),
      Buffer.from('reset refs/heads/clash\nfrom refs/heads/main^0\n\n'),
      commits({ branch: 'clash', message: 'Other a', files: { 'a.txt': '1\nzwei\n3\n' } }),
    ]),
  )
  const path = `/projects/${project.id}/repository`
  const tip = (await project.developer.get(`${path}/commits/main`)).body.id
  const side = (await project.developer.get(`${path}/commits/side`)).body.id
  return { project, path, tip, side, repository }
}

describe('cherry-pick', () => {
  it('brings the change of a commit to a branch, with its author', async () => {
    const { project, path, tip, side } = await branched()
    const { developer } = project
    const { status, body } = await developer.post(`${path}/commits/${side}/cherry_pick`, { branch: 'main' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      parent_ids: [tip],
      title: 'Fix a',
      message: `Fix a\n\nFor good.\n\n(cherry picked from commit ${side})`,
      author_name: 'Bob',
      author_email: 'bob@example.com',
      authored_date: '2023-11-15T03:43:20.000+05:30',
      committer_name: developer.username,
    })
    const { text } = await developer.get(`${path}/files/a.txt/raw?ref=main`)
    expect(text).toBe('1\nTWO\n3\n')
    expect((await developer.get(`${path}/files/b.txt/raw?ref=main`)).text).toBe('bb\n')
  })

  it('takes a message, and tries without changing anything', async () => {
    const { project, path, tip, side } = await branched()
    const { developer } = project
    const trial = await developer.post(`${path}/commits/side/cherry_pick`, { branch: 'main', dry_run: true })
    expect([trial.status, trial.body]).toEqual([200, { dry_run: 'success' }])
    expect((await developer.get(`${path}/commits/main`)).body.id).toBe(tip)
    const { body } = await developer.post(`${path}/commits/${side}/cherry_pick`, {
      branch: 'main',
      message: 'Mine',
    })
    expect(body.message).toBe('Mine')
  })

  it('refuses what conflicts, what is there already, and what is not there', async () => {
    const { project, path, side } = await branched()
    const { developer, maintainer } = project
    const pick = (sha: string, json: object) => developer.post(`${path}/commits/${sha}/cherry_pick`, json)
    for (const dry_run of [true, false]) {
      const conflict = await pick(side, { branch: 'clash', dry_run })
      expect([conflict.status, conflict.body]).toEqual([
        400,
        {
          message:
            'Sorry, we cannot cherry-pick this commit automatically. This commit may already have been cherry-picked, ' +
            'or a more recent commit may have updated some of its content.',
          error_code: 'conflict',
        },
      ])
    }
    const empty = await pick('main', { branch: 'main' })
    expect([empty.status, empty.body.error_code]).toEqual([400, 'empty'])
    // Once picked, it is there.
    expect((await pick(side, { branch: 'main' })).status).toBe(201)
    const twice = await pick(side, { branch: 'main' })
    expect([twice.status, twice.body.error_code]).toEqual([400, 'empty'])
    expect((await pick(side, { branch: 'nothing' })).body.message).toBe('404 Branch Not Found')
    expect((await pick('nothing', { branch: 'main' })).body.message).toBe('404 Commit Not Found')
    expect((await pick(side, {})).body.error).toBe('branch is missing')
    await developer.post(`${path}/branches`, { branch: 'old', ref: 'main~2' })
    await maintainer.post(`/projects/${project.id}/protected_branches`, { name: 'old' })
    const refused = await pick(side, { branch: 'old' })
    expect([refused.status, refused.body.message]).toEqual([
      403,
      '403 Forbidden - You are not allowed to push into this branch',
    ])
  })
})

describe('revert', () => {
  it('takes the change of a commit back', async () => {
    const { project, path, tip } = await branched()
    const { developer } = project
    const { status, body } = await developer.post(`${path}/commits/${tip}/revert`, { branch: 'main' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      parent_ids: [tip],
      title: 'Revert "Change b"',
      message: `Revert "Change b"\n\nThis reverts commit ${tip}`,
      author_name: developer.username,
    })
    expect((await developer.get(`${path}/files/b.txt/raw?ref=main`)).text).toBe('b\n')
    const again = await developer.post(`${path}/commits/${tip}/revert`, { branch: 'main' })
    expect([again.status, again.body]).toEqual([
      400,
      {
        message:
          'Sorry, we cannot revert this commit automatically. This commit may already have been reverted, ' +
          'or a more recent commit may have updated some of its content.',
        error_code: 'empty',
      },
    ])
  })

  it('takes the first commit back, if nothing conflicts', async () => {
    const project = await w.project()
    await importInto(project, commits({ message: 'Root', files: { a: '1' } }, { files: { b: '2' } }))
    const path = `/projects/${project.id}/repository`
    const { status } = await project.developer.post(`${path}/commits/main~1/revert`, { branch: 'main' })
    expect(status).toBe(201)
    const tree = await project.developer.get(`${path}/tree`)
    expect(tree.body.map(({ name }: { name: string }) => name)).toEqual(['b'])
  })
})
