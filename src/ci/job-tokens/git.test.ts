import { describe, expect, test } from 'vitest'
import { fresh, git, withGit } from '#code/git-http/test-support.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'
import { CONFIG, runningJob, withRunningJob } from './test-support.ts'

withGit()

const urlFor = (token: string, path: string, username = 'gitlab-ci-token') =>
  `${w.url.replace('://', `://${username}:${token}@`)}/${path}.git`

/** How a batch of Git LFS is answered. */
const lfs = async (operation: 'download' | 'upload', token: string, path: string) => {
  const { status } = await fetch(`${w.url}/${path}.git/info/lfs/objects/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.git-lfs+json', authorization: basic(token) },
    body: JSON.stringify({ operation, objects: [{ oid: 'a'.repeat(64), size: 1 }] }),
  })
  return status
}

const basic = (token: string) => `Basic ${Buffer.from(`gitlab-ci-token:${token}`).toString('base64')}`

const list = (token: string, path: string, username?: string) =>
  git().try(['ls-remote', urlFor(token, path, username)])

describe('git over HTTP with the token of a job', () => {
  test('reads the project of the job, as long as the job runs', async () => {
    const p = await withRunningJob()
    const cloned = await git().clone(urlFor(p.token, p.fullPath), fresh())
    expect(await cloned.run('show', 'HEAD:.gitlab-ci.yml')).toBe(CONFIG)
    expect((await list(p.token, p.fullPath, 'oauth2')).code).not.toBe(0)
    await p.finish(p.pipeline.id, 'build')
    const after = await list(p.token, p.fullPath)
    expect(after.code).not.toBe(0)
    expect(
      await fetch(`${urlFor('x', p.fullPath).replace(/\/\/.*@/, '//')}/info/refs?service=git-upload-pack`, {
        headers: { authorization: basic(p.token) },
      }).then((answer) => answer.text()),
    ).toBe('This job token is unknown, or its job has ended.\n')
  })

  test('reads what everybody may, and says why it reads no other project', async () => {
    const p = await runningJob()
    const open = await w.project({ visibility: 'public' })
    const closed = await w.project()
    expect((await list(p.token, open.fullPath)).code).toBe(0)
    const unseen = await list(p.token, closed.fullPath)
    expect([unseen.code === 0, unseen.err.includes('not found')]).toEqual([false, true])
    await w.member(closed.namespaceId, p.developer, 40)
    expect((await list(p.token, closed.fullPath)).err).toContain(
      'Authentication by CI/CD job token not allowed',
    )
  })

  test('pushes to the project of the job where that says so, without jobs of its own, also objects of Git LFS', async () => {
    const [p, other] = [await withRunningJob(), await runningJob()]
    const work = await git().clone(urlFor(p.token, p.fullPath), fresh())
    await work.commit({ 'made-by-a-job.txt': '1' })
    const push = () => work.try('push', 'origin', 'HEAD:refs/heads/made')
    const refused = await push()
    expect([refused.code === 0, refused.err.includes('Job tokens cannot push to this project')]).toEqual([
      false,
      true,
    ])
    expect(await lfs('download', p.token, p.fullPath)).toBe(200)
    expect(await lfs('upload', p.token, p.fullPath)).toBe(403)
    await p.maintainer.put(p.base, { ci_push_repository_for_job_token_allowed: true })
    expect(await lfs('upload', p.token, p.fullPath)).toBe(200)
    expect((await push()).code).toBe(0)
    const { body: made } = await p.developer.get(`${p.base}/repository/commits/made`)
    expect(made.title).toBeDefined()
    await until(async () => {
      const { body } = await p.developer.get(`${p.base}/pipelines?ref=made`)
      expect(body.map(({ status }: { status: string }) => status)).toEqual(['skipped'])
    })

    await w.member(p.namespaceId, other.developer, 40)
    await w.root.post(`${p.base}/job_token_scope/allowlist`, { target_project_id: other.id })
    const elsewhere = await work.try('push', urlFor(other.token, p.fullPath), 'HEAD:refs/heads/other')
    expect([elsewhere.code === 0, elsewhere.err.includes('only to the project of their job')]).toEqual([
      false,
      true,
    ])
  })
})

test('go finds modules where the job is let in, and learns of no others', async () => {
  const group = await w.group()
  // The first two parts of their paths are no projects, so that an answer tells something.
  const { id: parent } = await w.group({ parent: group.id })
  const [p, other] = [await withRunningJob({ parent }), await projectWithCi(CONFIG, { parent })]
  await w.member(other.namespaceId, p.developer, 40)
  const authorization = basic(p.token)
  const module = async (path: string) => {
    const answer = await fetch(`${w.url}/${path}/a/b?go-get=1`, { headers: { authorization } })
    return / git \S+\/\/[^/]+\/(\S+)\.git"/.exec(await answer.text())?.[1]
  }
  expect(await module(p.fullPath)).toBe(p.fullPath)
  expect(await module(other.fullPath)).toBe(other.fullPath.split('/').slice(0, 2).join('/'))
})

test('the snippets of people are no project’s to let jobs in', async () => {
  const p = await runningJob()
  const { body } = await p.developer.post('/snippets', {
    title: 'Mine',
    visibility: 'private',
    files: [{ file_path: 'a.txt', content: 'a' }],
  })
  expect((await list(p.developer.token, `snippets/${body.id}`, 'oauth2')).code).toBe(0)
  expect((await list(p.token, `snippets/${body.id}`)).code).not.toBe(0)
})
