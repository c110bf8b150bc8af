import { describe, expect, it } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { giveBranches } from '#test/repositories.ts'
import { w } from '#test/world.ts'

const branches = { source_branch: 'feature', target_branch: 'main' }

describe('opening', () => {
  it('answers with all fields', async () => {
    const p = await branchedProject()
    const { developer, id, fullPath, path } = p
    const assignee = p.maintainer
    const { status, body } = await developer.post(path, {
      ...branches,
      title: 'Say it aloud',
      description: '- [ ] one\n- [x] two',
      assignee_id: assignee.id,
      reviewer_ids: [p.owner.id],
      labels: 'loud',
      squash: true,
      remove_source_branch: true,
    })
    expect(status).toBe(201)
    const commit = async (name: string) =>
      (await developer.get(`/projects/${id}/repository/commits/${name}`)).body
    const [head, start] = [await commit('feature'), await commit('main')]
    const base = await commit('main~1')
    expect(body).toMatchObject({
      iid: 1,
      project_id: id,
      title: 'Say it aloud',
      state: 'opened',
      merged_by: null,
      merge_user: null,
      closed_by: null,
      closed_at: null,
      ...branches,
      source_project_id: id,
      target_project_id: id,
      author: { id: developer.id },
      assignees: [{ id: assignee.id }],
      assignee: { id: assignee.id },
      reviewers: [{ id: p.owner.id }],
      labels: ['loud'],
      draft: false,
      work_in_progress: false,
      milestone: null,
      sha: head.id,
      squash: true,
      force_remove_source_branch: true,
      reference: '!1',
      references: { short: '!1', relative: '!1', full: `${fullPath}!1` },
      task_completion_status: { count: 2, completed_count: 1 },
      changes_count: '3',
      diff_refs: { base_sha: base.id, head_sha: head.id, start_sha: start.id },
      subscribed: true,
      user: { can_merge: true },
    })
    expect(body.web_url).toMatch(new RegExp(`/${fullPath}/-/merge_requests/1$`))
    // A job finds out whether it can be merged.
    const settled = { merge_status: expect.any(String), detailed_merge_status: expect.any(String) }
    expect((await developer.get(`${path}/1`)).body).toEqual({ ...body, ...settled })
  })

  it('refuses branches that are missing or the same, with the reason', async () => {
    const { id, developer, path } = await branchedProject()
    const refused = async (wanted: object) => {
      const { status, body } = await developer.post(path, { title: 'x', ...branches, ...wanted })
      expect(status).toBe(400)
      return body.message
    }
    const same = await developer.post(path, { title: 'x', ...branches, source_branch: 'main' })
    const message = ["You can't use same project/branch for source and target"]
    expect([same.status, same.body]).toEqual([422, { message }])
    const { path: opened } = await openMergeRequest({ id }, developer)
    const turned = await developer.put(opened, { target_branch: 'feature' })
    expect([turned.status, turned.body]).toEqual([422, { message }])
    expect(await refused({ source_branch: 'none' })).toBe('Source branch "none" does not exist')
    expect(await refused({ target_branch: 'none' })).toBe('Target branch "none" does not exist')
    for (const name of ['feature~0', 'feature^{commit}', 'feature^{tree}', 'feature:a.txt', 'feature@{0}']) {
      expect(await refused({ source_branch: name })).toBe(`Source branch "${name}" does not exist`)
      expect(await refused({ target_branch: name })).toBe(`Target branch "${name}" does not exist`)
    }
    expect(await refused({ title: ' ' })).toEqual(expect.anything())
    expect((await developer.post(path, { title: 'x' })).status).toBe(400)
  })

  it('refuses a second one of the same branches while the first is open', async () => {
    const p = await branchedProject()
    const first = await openMergeRequest(p, p.developer)
    const again = await p.developer.post(p.path, { title: 'Again', ...branches })
    const message = ['Another open merge request already exists for this source branch: !1']
    expect([again.status, again.body]).toEqual([409, { message }])
    await p.developer.put(first.path, { state_event: 'close' })
    const second = await openMergeRequest(p, p.developer)
    expect(second.body.iid).toBe(2)
    expect((await p.developer.put(first.path, { state_event: 'reopen' })).status).toBe(409)
  })

  it('of ten at once makes one', async () => {
    const p = await branchedProject()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => p.developer.post(p.path, { title: 'x', ...branches })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9)
  })

  it('from a fork brings its commits along, which stay when the fork goes', async () => {
    const p = await branchedProject({ visibility: 'public' })
    const stranger = await w.user()
    const fork = await w.project({ visibility: 'public' })
    await giveBranches(fork)
    await w.db
      .insertInto('project_forks')
      .values({
        project_id: fork.id,
        source_id: p.id,
        state: 'finished',
        created_at: new Date().toISOString(),
      })
      .execute()
    const actions = [{ action: 'create', file_path: 'new.txt', content: 'new' }]
    const commit = { branch: 'more', start_branch: 'main', commit_message: 'More', actions }
    const { body: made } = await fork.developer.post(`/projects/${fork.id}/repository/commits`, commit)
    const wanted = { title: 'More', source_branch: 'more', target_branch: 'main', target_project_id: p.id }
    const opened = await fork.developer.post(`/projects/${fork.id}/merge_requests`, wanted)
    expect([opened.status, opened.body]).toMatchObject([
      201,
      {
        sha: made.id,
        changes_count: '1',
        project_id: p.id,
        source_project_id: fork.id,
        target_project_id: p.id,
        labels: [],
        user: { can_merge: false },
      },
    ])
    const there = await p.developer.get(`/projects/${p.id}/repository/commits/${made.id}`)
    expect(there.status).toBe(200)
    await fork.owner.delete(`/projects/${fork.id}`)
    await w.root.delete(`/projects/${fork.id}`, { permanently_remove: true, full_path: fork.fullPath })
    expect((await p.developer.get(`${p.path}/1`)).status).toBe(200)
    expect((await stranger.get(`${p.path}/1`)).status).toBe(200)
  })

  it('into a project that is no relative, or that one cannot see, is refused', async () => {
    const [here, there] = [await branchedProject(), await branchedProject()]
    const wanted = { title: 'x', ...branches, target_project_id: there.id }
    expect((await here.developer.post(here.path, wanted)).status).toBe(404)
    await w.member(there.namespaceId, here.developer, 30)
    expect((await here.developer.post(here.path, wanted)).body.message).toBe(
      'The source project is not a fork of the target project',
    )
  })
})

describe('changing', () => {
  it('rewords, retargets, closes and reopens, and says so in system notes', async () => {
    const p = await branchedProject()
    const { path } = await openMergeRequest(p, p.developer)
    const changed = await p.developer.put(path, { title: 'Draft: Say it aloud', target_branch: 'clash' })
    expect([changed.status, changed.body]).toMatchObject([200, { draft: true, target_branch: 'clash' }])
    expect(changed.body.diff_refs.start_sha).not.toBe(changed.body.diff_refs.base_sha)
    expect((await p.developer.put(path, { state_event: 'close' })).body).toMatchObject({
      state: 'closed',
      closed_by: { id: p.developer.id },
      detailed_merge_status: 'not_open',
    })
    expect((await p.developer.put(path, { state_event: 'reopen' })).body).toMatchObject({
      state: 'opened',
      closed_by: null,
    })
    const notes = await p.developer.get(`${path}/notes?sort=asc`)
    expect(notes.body.map(({ body }: { body: string }) => body)).toEqual([
      'marked this merge request as **draft**',
      'changed target branch from `main` to `clash`',
    ])
    const events = await p.developer.get(`${path}/resource_state_events`)
    expect(events.body.map(({ state }: { state: string }) => state)).toEqual(['closed', 'reopened'])
  })

  it('changes people and labels, and records the events', async () => {
    const p = await branchedProject()
    const { path } = await openMergeRequest(p, p.developer)
    const wanted = { reviewer_ids: [p.maintainer.id, p.owner.id], assignee_ids: [p.owner.id], labels: 'a,b' }
    const { body } = await p.developer.put(path, wanted)
    expect(new Set(body.reviewers.map(({ id }: { id: number }) => id))).toEqual(
      new Set([p.maintainer.id, p.owner.id]),
    )
    expect(body).toMatchObject({ assignees: [{ id: p.owner.id }], labels: ['a', 'b'] })
    const fewer = await p.developer.put(path, { reviewer_ids: [0], remove_labels: 'a' })
    expect(fewer.body).toMatchObject({ reviewers: [], labels: ['b'] })
    const none = await p.developer.put(path, { labels: null })
    expect(none.body).toMatchObject({ labels: [], assignees: [{ id: p.owner.id }] })
    expect((await p.developer.get(`${path}/resource_label_events`)).body).toHaveLength(4)
  })

  it('by its author from a fork leaves out what they may not change', async () => {
    const p = await branchedProject({ visibility: 'public' })
    const { path } = await openMergeRequest(p, p.developer)
    const stranger = await w.user()
    expect((await stranger.put(path, { title: 'Mine' })).status).toBe(403)
    expect((await p.guest.put(path, { title: 'Mine' })).status).toBe(403)
  })

  it('tells others nothing of branches', async () => {
    const p = await branchedProject()
    const { path } = await openMergeRequest(p, p.developer)
    for (const target_branch of ['none', 'main', 'feature']) {
      expect((await p.reporter.put(path, { target_branch })).status).toBe(403)
    }
  })

  it('honours If-Unmodified-Since', async () => {
    const p = await branchedProject()
    const { path } = await openMergeRequest(p, p.developer)
    const before = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' }
    expect((await p.developer.send('PUT', path, { json: { title: 'x' }, headers: before })).status).toBe(412)
    expect((await p.owner.send('DELETE', path, { headers: before })).status).toBe(412)
  })
})

describe('deleting', () => {
  it('takes it out of sight, with everything on it', async () => {
    const p = await branchedProject()
    const { path } = await openMergeRequest(p, p.developer)
    await p.developer.post(`${path}/notes`, { body: 'Hello' })
    expect((await p.maintainer.delete(path)).status).toBe(403)
    expect((await p.owner.delete(path)).status).toBe(204)
    for (const what of ['', '/notes']) expect((await p.owner.get(path + what)).status).toBe(404)
  })
})

describe('notes on a merge request', () => {
  it('have no fields of imports, take commands, and mention others', async () => {
    const p = await branchedProject()
    const { path, body } = await openMergeRequest(p, p.developer)
    const { body: issue } = await p.developer.post(`/projects/${p.id}/issues`, { title: 'It is low' })
    const note = await p.developer.post(`${path}/notes`, {
      body: `See #${issue.iid}\n\n/label ~loud\n/title Louder`,
    })
    expect([note.status, note.body]).toMatchObject([
      201,
      { noteable_type: 'MergeRequest', noteable_id: body.id, noteable_iid: 1, body: `See #${issue.iid}` },
    ])
    expect(note.body).not.toHaveProperty('imported')
    expect((await p.developer.get(path)).body).toMatchObject({ title: 'Louder', user_notes_count: 1 })
    const told = await p.developer.get(`/projects/${p.id}/issues/${issue.iid}/notes`)
    expect(told.body[0].body).toBe('mentioned in merge request !1')
    await p.developer.post(`/projects/${p.id}/issues/${issue.iid}/notes`, { body: 'Fixed by !1' })
    const back = await p.developer.get(`${path}/notes`)
    expect(back.body[0].body).toBe(`mentioned in issue #${issue.iid}`)
  })
})
