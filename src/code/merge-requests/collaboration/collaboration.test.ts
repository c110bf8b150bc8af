import { describe, expect, test } from 'vitest'
import { fresh, git, urlWith, withGit } from '#code/git-http/test-support.ts'
import { branchedProject } from '#test/merge-requests.ts'
import type { Actor } from '#test/world.ts'
import { w } from '#test/world.ts'

withGit()

type Visibility = 'public' | 'internal' | 'private'

/** A fork whose owner asks to merge `feature`, and lets those who may merge push to it. */
async function forked(wanted: object = {}, visibility: Visibility = 'public', ofFork = visibility) {
  const p = await branchedProject({ visibility })
  const fork = await branchedProject({ visibility: ofFork })
  const created_at = new Date().toISOString()
  await w.db
    .insertInto('project_forks')
    .values({ project_id: fork.id, source_id: p.id, state: 'finished', created_at })
    .execute()
  await w.member(p.namespaceId, fork.developer, 20)
  const given = {
    title: 'x',
    source_branch: 'feature',
    target_branch: 'main',
    target_project_id: p.id,
    allow_collaboration: true,
  }
  const made = await fork.developer.post(`/projects/${fork.id}/merge_requests`, { ...given, ...wanted })
  expect(made.status).toBe(201)
  return { ...p, fork, mr: `${p.path}/${made.body.iid}`, opened: made.body }
}

let files = 0

const commit = (fork: { readonly id: number }, by: Actor, wanted: object = {}) =>
  by.post(`/projects/${fork.id}/repository/commits`, {
    branch: 'feature',
    commit_message: 'Help',
    actions: [{ action: 'create', file_path: `help-${++files}`, content: 'x' }],
    ...wanted,
  })

const statusOf = async (fork: { readonly id: number }, by: Actor) => (await commit(fork, by)).status

describe('allow_collaboration lets those who may merge push to the branch of a fork', () => {
  test('with git: to that branch, and to nothing else', async () => {
    const p = await forked()
    expect(p.opened).toMatchObject({ allow_collaboration: true, allow_maintainer_to_push: true })
    const work = await git().clone(urlWith(p.developer.token, p.fork.fullPath), fresh())
    await work.run('checkout', '--quiet', 'feature')
    const head = await work.commit({ 'help.txt': 'x' }, 'Help')
    await work.run('push', '--quiet', 'origin', 'feature')
    await expect.poll(async () => (await p.developer.get(p.mr)).body.sha).toBe(head)
    const push = (...references: string[]) => work.run('push', '--quiet', 'origin', ...references)
    for (const reference of ['feature:refs/heads/main', 'feature:clash', 'feature:new', ':clash', ':feature'])
      await expect(push('--force', reference)).rejects.toThrow(/you may only push to the source branches/i)
    await work.run('tag', 'v1')
    await expect(push('v1')).rejects.toThrow(/you may only push to the source branches/i)
    for (const one of [p.reporter, p.stranger]) {
      const url = urlWith(one.token, p.fork.fullPath)
      const refused = work.run('push', '--quiet', url, 'feature:feature')
      await expect(refused).rejects.toThrow(/not allowed to push/i)
    }
  })

  test('with the API: commits and files of that branch', async () => {
    const p = await forked()
    expect(await statusOf(p.fork, p.developer)).toBe(201)
    const file = `/projects/${p.fork.id}/repository/files/b.txt`
    const change = { branch: 'feature', commit_message: 'x', content: 'changed' }
    expect((await p.maintainer.put(file, change)).status).toBe(200)
    for (const wanted of [{ branch: 'clash' }, { branch: 'new', start_branch: 'main' }])
      expect((await commit(p.fork, p.developer, wanted)).status).toBe(403)
    const branches = `/projects/${p.fork.id}/repository/branches`
    expect((await p.developer.post(branches, { branch: 'new', ref: 'main' })).status).toBe(403)
    expect((await p.developer.delete(`${branches}/feature`)).status).toBe(403)
    expect(await statusOf(p.fork, p.reporter)).toBe(403)
    expect(await statusOf(p.fork, p.stranger)).toBe(403)
    expect((await p.anonymous.post(`/projects/${p.fork.id}/repository/commits`, {})).status).toBe(401)
    // They are no members of the fork.
    expect((await p.developer.put(`/projects/${p.fork.id}`, { description: 'x' })).status).toBe(403)
  })

  test('with a rebase', async () => {
    const p = await forked()
    const main = { branch: 'main', commit_message: 'Go on' }
    const actions = [{ action: 'create', file_path: 'later.txt', content: 'x' }]
    const moved = await p.maintainer.post(`/projects/${p.id}/repository/commits`, { ...main, actions })
    expect(moved.status).toBe(201)
    expect((await p.developer.put(`${p.mr}/rebase`)).status).toBe(202)
    await expect
      .poll(async () => (await p.developer.get(p.mr)).body)
      .toMatchObject({ merge_error: null, diff_refs: { base_sha: moved.body.id } })
  })

  test('as long as the merge request is open and says so', async () => {
    const p = await forked({ allow_collaboration: false })
    expect(await statusOf(p.fork, p.developer)).toBe(403)
    expect((await p.developer.put(`${p.mr}/rebase`)).status).toBe(403)
    const set = (wanted: object) => p.fork.developer.put(p.mr, wanted)
    for (const given of [
      { allow_collaboration: true },
      { allow_collaboration: false },
      { allow_maintainer_to_push: true },
    ])
      expect((await set(given)).body).toMatchObject(given)
    expect(await statusOf(p.fork, p.developer)).toBe(201)
    await set({ state_event: 'close' })
    expect(await statusOf(p.fork, p.developer)).toBe(403)
    await set({ state_event: 'reopen' })
    expect(await statusOf(p.fork, p.developer)).toBe(201)
    await expect.poll(async () => (await p.maintainer.get(p.mr)).body.merge_status).toBe('can_be_merged')
    expect((await p.maintainer.put(`${p.mr}/merge`)).body.state).toBe('merged')
    expect(await statusOf(p.fork, p.developer)).toBe(403)
  })

  test('not where the source branch is protected, nor without the right to merge', async () => {
    const p = await forked()
    await p.fork.owner.post(`/projects/${p.fork.id}/protected_branches`, { name: 'feature' })
    expect(await statusOf(p.fork, p.developer)).toBe(403)
    await p.fork.owner.delete(`/projects/${p.fork.id}/protected_branches/feature`)
    expect(await statusOf(p.fork, p.developer)).toBe(201)
    await p.owner.delete(`/projects/${p.id}/protected_branches/main`)
    const levels = { push_access_level: 40, merge_access_level: 40 }
    await p.owner.post(`/projects/${p.id}/protected_branches`, { name: 'main', ...levels })
    expect(await statusOf(p.fork, p.developer)).toBe(403)
    expect(await statusOf(p.fork, p.maintainer)).toBe(201)
  })

  test('not while the fork is archived', async () => {
    const p = await forked()
    await p.fork.owner.post(`/projects/${p.fork.id}/archive`)
    expect(await statusOf(p.fork, p.developer)).toBe(403)
  })

  test.each([
    ['internal', 'internal', 201],
    ['public', 'internal', 201],
    ['public', 'private', 404],
    ['private', 'public', 403],
  ] as const)('a %s project and a %s fork: %i', async (visibility, ofFork, status) => {
    const p = await forked({}, visibility, ofFork)
    expect(await statusOf(p.fork, p.developer)).toBe(status)
  })
})
