import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'

/** What each endpoint answers for a project in which nobody has committed anything. */
const answers: Readonly<Record<string, [status: number, body: unknown]>> = {
  'repository/tree': [404, { message: '404 Tree Not Found' }],
  'repository/tree?recursive=true&pagination=keyset': [404, { message: '404 Tree Not Found' }],
  [`repository/blobs/${'1'.repeat(40)}`]: [404, { message: '404 Blob Not Found' }],
  [`repository/blobs/${'1'.repeat(40)}/raw`]: [404, { message: '404 Blob Not Found' }],
  'repository/archive': [404, { message: '404 File Not Found' }],
  'repository/archive.zip': [404, { message: '404 File Not Found' }],
  'repository/compare?from=main&to=other': [404, { message: '404 Commit Not Found' }],
  'repository/merge_base?refs[]=main&refs[]=other': [
    400,
    { message: '400 Bad request - Could not find ref: main' },
  ],
  'repository/contributors': [200, []],
  languages: [200, {}],
  'repository/commits': [200, []],
  'repository/commits?all=true': [200, []],
  'repository/commits?ref_name=main': [200, []],
  'repository/commits/main': [404, { message: '404 Commit Not Found' }],
  'repository/commits/HEAD/refs': [404, { message: '404 Commit Not Found' }],
  'repository/files/README.md?ref=main': [404, { message: '404 Commit Not Found' }],
  'repository/files/README.md/raw': [404, { message: '404 Commit Not Found' }],
  'repository/files/README.md/blame?ref=HEAD': [404, { message: '404 Commit Not Found' }],
}

describe('an empty repository', () => {
  test.each([false, true])('answers as one without commits (with a folder: %s)', async (hasFolder) => {
    const project = await w.project()
    if (hasFolder) await w.running.services.repositories.ensure({ kind: 'project', project: project.id })
    for (const [path, expected] of Object.entries(answers)) {
      const { status, body } = await project.reporter.get(`/projects/${project.id}/${path}`)
      expect([path, status, body]).toEqual([path, ...expected])
    }
    const status = await project.developer.post(`/projects/${project.id}/statuses/main`, { state: 'success' })
    expect([status.status, status.body]).toEqual([404, { message: '404 Commit Not Found' }])
  })

  test('is closed with the repository', async () => {
    const { id, owner, reporter, admin } = await w.project({ visibility: 'public' })
    await owner.put(`/projects/${id}`, { repository_access_level: 'private' })
    expect((await reporter.get(`/projects/${id}/repository/commits`)).status).toBe(200)
    expect((await w.anonymous.get(`/projects/${id}/repository/commits`)).status).toBe(401)
    await owner.put(`/projects/${id}`, { repository_access_level: 'disabled' })
    for (const by of [reporter, owner, admin]) {
      expect((await by.get(`/projects/${id}/repository/commits`)).status).toBe(403)
    }
  })
})

test('a repository whose folder is lost is not there, and nothing else is', async () => {
  const project = await w.project()
  const { repositories } = w.running.services
  const repository = await repositories.ensure({ kind: 'project', project: project.id })
  const summary = {
    relative_path: `${'00/'.repeat(2)}${'1'.repeat(60)}.git`,
    default_branch: 'main',
    branch_count: 1,
  }
  await w.db.updateTable('repositories').set(summary).where('id', '=', repository.id).execute()
  for (const path of ['tree', 'commits', 'archive', 'commits/main', 'files/a/raw', 'contributors']) {
    const { status, body, headers } = await project.reporter.get(`/projects/${project.id}/repository/${path}`)
    expect([path, status, body.message, headers.has('retry-after')]).toEqual([
      path,
      503,
      expect.stringContaining('the repository cannot be read'),
      true,
    ])
  }
  expect((await project.reporter.get(`/projects/${project.id}`)).status).toBe(200)
})
