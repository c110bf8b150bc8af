import { describe, expect, it } from 'vitest'
import { fresh, git, urlWith, withGit } from '#code/git-http/test-support.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'

withGit()

/** A project with branches, an open merge request of `feature`, and a clone of its maintainer. */
async function reviewed() {
  const p = await branchedProject()
  const { path, body } = await openMergeRequest(p, p.maintainer)
  const url = urlWith(p.maintainer.token, p.fullPath)
  const work = await git().clone(url, fresh())
  await work.run('checkout', '--quiet', 'feature')
  const look = async () => (await p.maintainer.get(path)).body
  const notes = async () => {
    const { body: all } = await p.maintainer.get(`${path}/notes?sort=asc`)
    return all.map((note: { body: string }) => note.body)
  }
  const versions = async () =>
    w.db
      .selectFrom('merge_request_versions')
      .select(['head_sha', 'base_sha', 'start_sha'])
      .where('merge_request_id', '=', body.id)
      .orderBy('id')
      .execute()
  return { ...p, mr: path, opened: body, work, look, notes, versions }
}

describe('a push to the source branch', () => {
  it('gives a new version, the commits in a system note, and a new check', async () => {
    const p = await reviewed()
    await expect.poll(async () => (await p.look()).merge_status).toBe('can_be_merged')
    const one = await p.work.commit({ 'e.txt': 'e' }, 'Add <e> & more')
    const two = await p.work.commit({ 'f.txt': 'f' }, 'Add f')
    await p.work.run('push', '--quiet', 'origin', 'feature')
    expect(await p.look()).toMatchObject({ sha: two, changes_count: '5', diff_refs: { head_sha: two } })
    expect(await p.notes()).toEqual([
      `added 2 commits\n\n<ul><li>${one.slice(0, 8)} - Add &lt;e&gt; &amp; more</li><li>${two.slice(0, 8)} - Add f</li></ul>`,
    ])
    expect((await p.versions()).map(({ head_sha }) => head_sha)).toEqual([p.opened.sha, two])
    await expect.poll(async () => (await p.look()).merge_status).toBe('can_be_merged')
  })

  it('by force counts what is new, and names what came from the target branch', async () => {
    const p = await reviewed()
    await p.work.run('rebase', '--quiet', 'origin/main')
    const head = await p.work.commit({ 'e.txt': 'e' }, 'Add e')
    await p.work.run('push', '--quiet', '--force', 'origin', 'feature')
    const [note] = await p.notes()
    expect(note).toMatch(
      /^added 4 commits\n\n<ul><li>[0-9a-f]{8} - 1 commit from branch <code>main<\/code><\/li>/,
    )
    expect(note).toContain(`<li>${head.slice(0, 8)} - Add e</li></ul>`)
    expect(await p.look()).toMatchObject({ sha: head })
    await p.work.run('reset', '--quiet', '--hard', 'HEAD~1')
    await p.work.run('push', '--quiet', '--force', 'origin', 'feature')
    expect(await p.notes()).toHaveLength(1)
    expect(await p.versions()).toHaveLength(3)
  })

  it('that conflicts is found out by a job', async () => {
    const p = await reviewed()
    await p.work.run('push', '--quiet', '--force', 'origin', 'origin/clash:refs/heads/main')
    await expect.poll(async () => (await p.look()).merge_status).toBe('cannot_be_merged')
    expect(await p.look()).toMatchObject({ has_conflicts: true, detailed_merge_status: 'conflict' })
  })

  it('in a fork brings its commits along', async () => {
    const p = await branchedProject({ visibility: 'public' })
    const { fork, forkUrl } = await forkOf(p)
    const work = await git().clone(forkUrl, fresh())
    await work.run('checkout', '--quiet', 'feature')
    const wanted = { title: 'x', source_branch: 'feature', target_branch: 'main', target_project_id: p.id }
    const { body } = await fork.developer.post(`/projects/${fork.id}/merge_requests`, wanted)
    const head = await work.commit({ 'e.txt': 'e' }, 'Add e')
    await work.run('push', '--quiet', 'origin', 'feature')
    await expect.poll(async () => (await p.developer.get(`${p.path}/${body.iid}`)).body.sha).toBe(head)
    expect((await p.developer.get(`/projects/${p.id}/repository/commits/${head}`)).status).toBe(200)
  })
})

/** A fork of a project, with the same branches. */
async function forkOf(p: { readonly id: number }) {
  const fork = await branchedProject({ visibility: 'public' })
  const created_at = new Date().toISOString()
  await w.db
    .insertInto('project_forks')
    .values({ project_id: fork.id, source_id: p.id, state: 'finished', created_at })
    .execute()
  return { fork, forkUrl: urlWith(fork.maintainer.token, fork.fullPath) }
}

describe('a deleted source branch', () => {
  it('leaves the merge request open and unmergeable, until it is back', async () => {
    const p = await reviewed()
    await p.work.run('push', '--quiet', 'origin', ':feature')
    expect(await p.notes()).toEqual(['deleted source branch `feature`'])
    await expect.poll(async () => (await p.look()).detailed_merge_status).toBe('commits_status')
    expect(await p.look()).toMatchObject({
      state: 'opened',
      merge_status: 'cannot_be_merged',
      sha: p.opened.sha,
    })
    const refused = await p.maintainer.put(`${p.mr}/merge`)
    expect([refused.status, refused.body.message]).toEqual([422, 'Branch cannot be merged'])
    await p.work.run('push', '--quiet', 'origin', 'feature')
    expect(await p.notes()).toEqual(['deleted source branch `feature`', 'restored source branch `feature`'])
    await expect.poll(async () => (await p.look()).detailed_merge_status).toBe('mergeable')
  })

  it('of a fork that is removed leaves it open and unmergeable, too', async () => {
    const p = await branchedProject({ visibility: 'public' })
    const { fork } = await forkOf(p)
    const wanted = { title: 'x', source_branch: 'feature', target_branch: 'main', target_project_id: p.id }
    const { body } = await fork.developer.post(`/projects/${fork.id}/merge_requests`, wanted)
    await w.db.deleteFrom('projects').where('id', '=', fork.id).execute()
    const refused = await p.maintainer.put(`${p.path}/${body.iid}/merge`)
    expect([refused.status, refused.body.message]).toEqual([422, 'Branch cannot be merged'])
    expect((await p.maintainer.get(`${p.path}/${body.iid}`)).body).toMatchObject({
      state: 'opened',
      source_project_id: null,
    })
  })
})

describe('a push to the target branch', () => {
  it('marks merge requests as merged whose commits it brings, by whoever pushed', async () => {
    const p = await reviewed()
    const { body: issue } = await p.maintainer.post(`/projects/${p.id}/issues`, { title: 'It breaks' })
    await p.maintainer.put(p.mr, { description: `Closes #${issue.iid}` })
    await p.work.run('checkout', '--quiet', 'main')
    await p.work.run('merge', '--quiet', '--no-ff', '-m', 'By hand', 'feature')
    const merge = await p.work.id('HEAD')
    await p.work.run('push', '--quiet', 'origin', 'main')
    expect(await p.look()).toMatchObject({
      state: 'merged',
      merge_user: { id: p.maintainer.id },
      merged_by: { id: p.maintainer.id },
      merge_commit_sha: merge,
      sha: p.opened.sha,
      detailed_merge_status: 'not_open',
    })
    expect((await p.look()).merged_at).not.toBeNull()
    expect((await p.notes()).at(-1)).toBe('merged')
    const { body: events } = await p.maintainer.get(`${p.mr}/resource_state_events`)
    expect(events.map(({ state }: { state: string }) => state)).toEqual(['merged'])
    const { body: closed } = await p.maintainer.get(`/projects/${p.id}/issues/${issue.iid}`)
    expect(closed).toMatchObject({ state: 'closed', closed_by: { id: p.maintainer.id } })
    const { body: said } = await p.maintainer.get(`/projects/${p.id}/issues/${issue.iid}/notes`)
    expect(said.map((note: { body: string }) => note.body)).toContain('closed via merge request !1')
  })

  it('has the others checked again, when somebody asks', async () => {
    const p = await reviewed()
    await expect.poll(async () => (await p.look()).merge_status).toBe('can_be_merged')
    await p.work.run('push', '--quiet', '--force', 'origin', 'origin/clash:refs/heads/main')
    expect((await p.look()).merge_status).toBe('checking')
    await expect.poll(async () => (await p.look()).merge_status).toBe('cannot_be_merged')
  })

  it('is followed by a job where there are more than a hundred', async () => {
    const p = await reviewed()
    const row = await w.db
      .selectFrom('merge_requests')
      .selectAll()
      .where('id', '=', p.opened.id)
      .executeTakeFirstOrThrow()
    const ids = await w.db
      .insertInto('noteables')
      .values(
        Array.from({ length: 120 }, () => ({
          kind: 'merge_request' as const,
          namespace_id: p.namespaceId,
          updated_at: row.created_at,
        })),
      )
      .returning('id')
      .execute()
    const { auto_merge: _, ...columns } = row
    const many = ids.map(({ id }, index) => ({
      ...columns,
      id,
      iid: 1000 + index,
      source_branch: `many-${index}`,
    }))
    await w.db.insertInto('merge_requests').values(many).execute()
    await p.work.run('push', '--quiet', 'origin', 'feature:refs/heads/main', '--force')
    const left = () =>
      w.db
        .selectFrom('merge_requests')
        .select('id')
        .where('project_id', '=', p.id)
        .where('state', '=', 'opened')
        .execute()
    await expect.poll(async () => (await left()).length).toBe(0)
  })
})
