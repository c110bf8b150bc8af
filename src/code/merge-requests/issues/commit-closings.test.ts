import { describe, expect, test } from 'vitest'
import { titles } from '#planning/issues/test-support.ts'
import type { Client } from '#test/client.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'

/** A public project with two issues, and a merge request of a branch whose only commit closes the first and names the second. */
async function closing() {
  const p = await branchedProject({ visibility: 'public' })
  const issues = `/projects/${p.id}/issues`
  await p.developer.post(issues, { title: 'one' })
  await p.developer.post(issues, { title: 'two' })
  const commit = commitTo(p.id, p.developer)
  await commit('Closes #1, see #2', { start_branch: 'main' })
  const { path: one } = await openMergeRequest(p, p.developer, { source_branch: 'closer' })
  const closed = async (by = p.developer) => titles(await by.get(`${one}/closes_issues`)).toSorted()
  const state = async (iid: number) => (await p.developer.get(`${issues}/${iid}`)).body.state
  return { ...p, issues, one, commit, closed, state }
}

let files = 0

const commitTo =
  (project: number, by: Client) =>
  async (message: string, wanted: object = {}) => {
    const actions = [{ action: 'create', file_path: `file-${++files}`, content: 'x' }]
    const given = { branch: 'closer', commit_message: message, actions, ...wanted }
    const { status, text, body } = await by.post(`/projects/${project}/repository/commits`, given)
    if (status !== 201) throw new Error(`${status}: ${text}`)
    return body
  }

describe('issues that the messages of commits close', () => {
  test('are those of the merge request, besides those that its text closes', async () => {
    const p = await closing()
    expect(await p.closed()).toEqual(['one'])
    const closedBy = await p.anonymous.get(`${p.issues}/1/closed_by`)
    expect([titles(closedBy), closedBy.headers.get('x-total')]).toEqual([['Say it aloud'], '1'])
    expect((await p.developer.get(`${p.issues}/1`)).body.merge_requests_count).toBe(1)
    expect(titles(await p.anonymous.get(`${p.one}/related_issues`))).toEqual(['one'])
    expect(titles(await p.anonymous.get(`${p.issues}/1/related_merge_requests`))).toEqual(['Say it aloud'])
    await p.developer.put(p.one, { description: 'Fixes #1 and #2' })
    const list = await p.developer.get(`${p.one}/closes_issues`)
    expect([titles(list).toSorted(), list.headers.get('x-total')]).toEqual([['one', 'two'], '2'])
    expect((await p.developer.get(`${p.issues}/1`)).body.merge_requests_count).toBe(1)
    await p.developer.put(p.one, { description: 'nothing' })
    expect(await p.closed()).toEqual(['one'])
  })

  test('follow pushes: what comes counts, and what a forced push takes away does not', async () => {
    const p = await closing()
    await p.commit('Resolves #2')
    expect(await p.closed()).toEqual(['one', 'two'])
    await p.commit('Start again', { start_branch: 'main', force: true })
    expect(await p.closed()).toEqual([])
    expect((await p.developer.get(`${p.issues}/1/closed_by`)).body).toEqual([])
  })

  test('count for the default branch alone, and come back with it', async () => {
    const p = await closing()
    await p.developer.put(p.one, { target_branch: 'clash' })
    expect(await p.closed()).toEqual([])
    await p.developer.post(`${p.one}/notes`, { body: '/target_branch main' })
    expect(await p.closed()).toEqual(['one'])
  })

  test('are closed by a merge that squashes the commits away', async () => {
    const p = await closing()
    const merged = await p.maintainer.put(`${p.one}/merge`, { squash: true, squash_commit_message: 'All' })
    expect([merged.status, merged.body.state]).toEqual([200, 'merged'])
    expect([await p.state(1), await p.state(2)]).toEqual(['closed', 'opened'])
    const notes = (await p.developer.get(`${p.issues}/1/notes`)).body
    expect(notes.map(({ body }: { body: string }) => body)).toContain('closed via merge request !1')
  })

  test('are closed by a merge that brings the commits', async () => {
    const p = await closing()
    expect((await p.maintainer.put(`${p.one}/merge`)).status).toBe(200)
    expect([await p.state(1), await p.state(2)]).toEqual(['closed', 'opened'])
  })

  test('follow the branch of a fork, as far as whoever pushes there may see them', async () => {
    const p = await closing()
    const fork = await branchedProject({ visibility: 'public' })
    const created_at = new Date().toISOString()
    await w.db
      .insertInto('project_forks')
      .values({ project_id: fork.id, source_id: p.id, state: 'finished', created_at })
      .execute()
    await p.owner.post(p.issues, { title: 'secret', confidential: true })
    const wanted = { title: 'x', source_branch: 'feature', target_branch: 'main', target_project_id: p.id }
    const { body } = await fork.developer.post(`/projects/${fork.id}/merge_requests`, wanted)
    await commitTo(fork.id, fork.developer)('Closes #2 and #3', { branch: 'feature' })
    const list = `${p.path}/${body.iid}/closes_issues`
    await expect.poll(async () => titles(await p.owner.get(list))).toEqual(['two'])
  })
})
