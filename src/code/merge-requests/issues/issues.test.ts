import { describe, expect, test } from 'vitest'
import { titles } from '#planning/issues/test-support.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { unique, w } from '#test/world.ts'

/** A public project with two issues, and a merge request that closes the first and mentions the second. */
async function related(wanted: object = {}) {
  const p = await branchedProject({ visibility: 'public' })
  const issues = `/projects/${p.id}/issues`
  await p.developer.post(issues, { title: 'closed one' })
  await p.developer.post(issues, { title: 'mentioned one' })
  const description = 'Closes #1, see #2'
  const { path: one, body } = await openMergeRequest(p, p.developer, { description, ...wanted })
  return { ...p, issues, one, mergeRequestId: Number(body.id) }
}

describe('issues of a merge request, and merge requests of an issue', () => {
  test('are those that its text closes, and those that it mentions', async () => {
    const p = await related()
    expect(titles(await p.anonymous.get(`${p.one}/closes_issues`))).toEqual(['closed one'])
    expect(titles(await p.anonymous.get(`${p.one}/related_issues`))).toEqual(['mentioned one', 'closed one'])
    const closedBy = await p.anonymous.get(`${p.issues}/1/closed_by`)
    expect(closedBy.body).toMatchObject([{ id: p.mergeRequestId, title: 'Say it aloud', state: 'opened' }])
    expect(closedBy.headers.get('x-total')).toBe('1')
    expect((await p.anonymous.get(`${p.issues}/2/closed_by`)).body).toEqual([])
    for (const iid of [1, 2])
      expect(titles(await p.anonymous.get(`${p.issues}/${iid}/related_merge_requests`))).toEqual([
        'Say it aloud',
      ])
    expect((await p.anonymous.get(`${p.issues}/1`)).body.merge_requests_count).toBe(1)
    expect((await p.anonymous.get(`${p.issues}/2`)).body.merge_requests_count).toBe(0)
    for (const path of [`${p.issues}/99/closed_by`, `${p.path}/99/closes_issues`])
      expect((await p.developer.get(path)).status).toBe(404)
  })

  test('change with the text and go by the target branch', async () => {
    const p = await related()
    await p.developer.put(p.one, { description: 'Fixes #2' })
    expect(titles(await p.developer.get(`${p.one}/closes_issues`))).toEqual(['mentioned one'])
    expect((await p.developer.get(`${p.issues}/1/closed_by`)).body).toEqual([])
    await p.developer.put(p.one, { target_branch: 'clash' })
    expect((await p.developer.get(`${p.one}/closes_issues`)).body).toEqual([])
    expect((await p.developer.get(`${p.issues}/2`)).body.merge_requests_count).toBe(0)
  })

  test('are shown to those who may see them, in totals, too', async () => {
    const p = await related()
    const secret = await p.owner.post(p.issues, { title: 'secret', confidential: true })
    await p.owner.put(p.one, { description: `Closes #1 and closes #${secret.body.iid}` })
    const total = async (by: typeof p.owner, path: string) => (await by.get(path)).headers.get('x-total')
    expect(await total(p.owner, `${p.one}/closes_issues`)).toBe('2')
    expect(await total(p.stranger, `${p.one}/closes_issues`)).toBe('1')
    const { status, body } = await w.root.put(`/projects/${p.id}`, { merge_requests_access_level: 'private' })
    expect([status, body.merge_requests_access_level]).toEqual([200, 'private'])
    expect(await total(p.guest, `${p.issues}/1/closed_by`)).toBe('1')
    expect(await total(p.stranger, `${p.issues}/1/closed_by`)).toBe('0')
    expect(await total(p.stranger, `${p.issues}/1/related_merge_requests`)).toBe('0')
    expect((await p.stranger.get(`${p.issues}/1`)).body.merge_requests_count).toBe(0)
    expect((await p.stranger.get(`${p.one}/closes_issues`)).status).toBe(403)
  })
})

describe('merge requests of a commit', () => {
  test('are those that have it among their commits, of any state, and not those that began after it', async () => {
    const p = await branchedProject()
    const { path: one, body } = await openMergeRequest(p, p.developer, { title: 'one' })
    await openMergeRequest(p, p.developer, { title: 'two', source_branch: 'feature', target_branch: 'clash' })
    const tips = (await p.developer.get(`${one}/commits`)).body
    const first = tips.at(-1).id
    const of = (sha: string, by = p.developer, filter = '') =>
      by.get(`/projects/${p.id}/repository/commits/${sha}/merge_requests${filter}`)
    for (const sha of [body.sha, first, 'feature']) {
      const found = await of(sha)
      expect([titles(found), found.headers.get('x-total')]).toEqual([['two', 'one'], '2'])
    }
    expect(titles(await of('clash'))).toEqual([])
    expect(titles(await of('main'))).toEqual([])
    await p.developer.put(one, { state_event: 'close' })
    expect(titles(await of(first, p.developer, '?state=closed'))).toEqual(['one'])
    expect((await of(first)).body[0]).toMatchObject({ iid: 2, source_branch: 'feature', state: 'opened' })
    expect((await of('0'.repeat(40))).status).toBe(404)
    expect((await of('feature', p.developer, '?state=all')).status).toBe(400)
  })

  test('are those that a merge made it for, squashed ones, too', async () => {
    const p = await branchedProject()
    const { path: one } = await openMergeRequest(p, p.developer, { title: 'squashed' })
    const merged = await p.maintainer.put(`${one}/merge`, { squash: true })
    expect(merged.status).toBe(200)
    const { merge_commit_sha, squash_commit_sha, sha } = merged.body
    for (const id of [merge_commit_sha, squash_commit_sha, sha])
      expect(
        titles(await p.developer.get(`/projects/${p.id}/repository/commits/${id}/merge_requests`)),
      ).toEqual(['squashed'])
  })

  test('are hidden from those who read the code alone', async () => {
    const p = await branchedProject({ visibility: 'public' })
    await openMergeRequest(p, p.developer)
    await w.root.put(`/projects/${p.id}`, { merge_requests_access_level: 'private' })
    const list = `/projects/${p.id}/repository/commits/feature/merge_requests`
    expect((await p.developer.get(list)).headers.get('x-total')).toBe('1')
    const hidden = await p.stranger.get(list)
    expect([hidden.status, hidden.body, hidden.headers.get('x-total')]).toEqual([200, [], '0'])
  })
})

describe('merge requests of a milestone', () => {
  test('are listed for projects and groups, as far as one may see them', async () => {
    const p = await branchedProject({ visibility: 'public' })
    for (const place of [`/projects/${p.id}`, `/groups/${p.groupId}`]) {
      const { body: milestone } = await w.root.post(`${place}/milestones`, { title: unique('milestone') })
      const list = `${place}/milestones/${milestone.id}/merge_requests`
      expect((await w.root.get(list)).body).toEqual([])
      const { path: one } = await openMergeRequest(p, p.developer, {
        title: place,
        milestone_id: milestone.id,
      })
      expect(titles(await w.root.get(list))).toEqual([place])
      await p.developer.put(one, { state_event: 'close' })
      expect((await w.root.get(`${place}/milestones/999999999/merge_requests`)).status).toBe(404)
      await w.root.put(`/projects/${p.id}`, { merge_requests_access_level: 'private' })
      expect((await p.guest.get(list)).headers.get('x-total')).toBe('1')
      const hidden = await p.stranger.get(list)
      if (hidden.status === 200) expect([hidden.body, hidden.headers.get('x-total')]).toEqual([[], '0'])
      await w.root.put(`/projects/${p.id}`, { merge_requests_access_level: 'enabled' })
    }
  })
})

describe('counts of merge requests', () => {
  test('of labels, of the current user, and of what somebody wrote', async () => {
    const p = await branchedProject({ visibility: 'public' })
    const author = await w.user()
    await w.member(p.namespaceId, author, 30)
    const { path: one } = await openMergeRequest(p, p.developer, {
      labels: 'loud',
      assignee_ids: [author.id],
      reviewer_ids: [author.id],
    })
    const waiting = async () => (await author.get('/user_counts')).body
    expect(await waiting()).toMatchObject({
      assigned_merge_requests: 1,
      review_requested_merge_requests: 1,
      merge_requests: 1,
    })
    const labels = async (by = p.developer) =>
      (await by.get(`/projects/${p.id}/labels?with_counts=true`)).body[0].open_merge_requests_count
    expect(await labels()).toBe(1)
    await w.root.post(`/groups/${p.groupId}/labels`, { name: 'wide', color: 'red' })
    await p.developer.put(one, { add_labels: 'wide' })
    const wide = async (by = p.stranger) =>
      (await by.get(`/groups/${p.groupId}/labels?with_counts=true&search=wide`)).body[0]
    const before = await wide(p.developer)
    expect(before.open_merge_requests_count).toBe(1)
    await p.developer.put(one, { state_event: 'close' })
    expect(await labels()).toBe(0)
    expect(await waiting()).toMatchObject({ assigned_merge_requests: 0, review_requested_merge_requests: 0 })
    const written = await w.root.get(`/users/${p.developer.id}/associations_count`)
    expect(written.body.merge_requests_count).toBe(1)
  })
})
