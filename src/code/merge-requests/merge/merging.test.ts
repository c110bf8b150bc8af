import { describe, expect, it, vi } from 'vitest'
import { currentCaller } from '#platform/shares/caller.ts'
import { fresh, git, urlWith, withGit } from '#code/git-http/test-support.ts'
import type { Client } from '#test/client.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'

withGit()

/** A project with branches, and an open merge request of `feature`. */
async function ready(wanted: object = {}, settings: object = {}) {
  const p = await branchedProject()
  if (Object.keys(settings).length > 0) await p.owner.put(`/projects/${p.id}`, settings)
  const { path: mr, body: opened } = await openMergeRequest(p, p.developer, wanted)
  const commit = async (name: string) =>
    (await p.maintainer.get(`/projects/${p.id}/repository/commits/${encodeURIComponent(name)}`)).body
  const merge = (json: object = {}, by: Client = p.maintainer) => by.put(`${mr}/merge`, json)
  const look = async () => (await p.maintainer.get(mr)).body
  const branch = async (name: string) =>
    (await p.maintainer.get(`/projects/${p.id}/repository/branches/${name}`)).status
  const push = async (files: Record<string, string>, name: string, message = 'Change') => {
    const actions = Object.entries(files).map(([file_path, content]) => ({
      action: 'create',
      file_path,
      content,
    }))
    const given = { branch: name, commit_message: message, actions }
    return (await p.maintainer.post(`/projects/${p.id}/repository/commits`, given)).body.id as string
  }
  return { ...p, mr, opened, commit, merge, look, branch, push }
}

describe('a merge', () => {
  it('makes a merge commit, and tells who merged what', async () => {
    const p = await ready({ description: 'It helps.' })
    const before = await p.commit('main')
    const { status, body } = await p.merge()
    const tip = await p.commit('main')
    expect([status, body]).toMatchObject([
      200,
      {
        state: 'merged',
        merge_user: { id: p.maintainer.id },
        merge_commit_sha: tip.id,
        squash_commit_sha: null,
        sha: p.opened.sha,
        merge_error: null,
      },
    ])
    expect(tip).toMatchObject({
      parent_ids: [before.id, p.opened.sha],
      message: `Merge branch 'feature' into 'main'\n\nSay it aloud\n\nSee merge request ${p.fullPath}!1`,
      author_name: p.maintainer.username,
    })
    expect(await p.branch('feature')).toBe(200)
    const { body: events } = await p.maintainer.get(`${p.mr}/resource_state_events`)
    expect(events).toMatchObject([{ state: 'merged', user: { id: p.maintainer.id } }])
    expect((await p.merge()).status).toBe(405)
  })

  it('squashes, with the message of the template or the one that is given', async () => {
    const p = await ready(
      { squash: true, description: 'Closes #7 and #8' },
      {
        squash_commit_template: '%{title} (%{local_reference})\n\n%{description}\n\n%{co_authored_by}',
        merge_commit_template: '%{source_branch} by %{merged_by}\n%{reviewed_by}\n%{approved_by}\n%{issues}',
      },
    )
    await p.developer.put(p.mr, { reviewer_ids: [p.owner.id] })
    await p.owner.post(`${p.mr}/approve`)
    const base = p.opened.diff_refs.base_sha
    const { body } = await p.merge()
    const [merge, squash] = [await p.commit('main'), await p.commit('main^2')]
    expect(body).toMatchObject({ merge_commit_sha: merge.id, squash_commit_sha: squash.id, squash: true })
    expect(squash).toMatchObject({
      parent_ids: [base],
      message: 'Say it aloud (!1)\n\nCloses #7 and #8\n\nCo-authored-by: Ada <ada@example.com>',
      author_name: p.developer.username,
      committer_name: p.maintainer.username,
    })
    const email = `${p.maintainer.username}@example.com`
    const signed = `${p.owner.username} <${p.owner.username}@example.com>`
    expect(merge.message).toBe(
      `feature by ${p.maintainer.username} <${email}>\nReviewed-by: ${signed}\nApproved-by: ${signed}\nCloses #7 and #8`,
    )
    const q = await ready()
    await q.merge({ squash: true, squash_commit_message: 'Mine', merge_commit_message: 'Mine, too' })
    expect((await q.commit('main')).message).toBe('Mine, too')
    expect((await q.commit('main^2')).message).toBe('Mine')
  })

  it('squashes as the project says, whoever asks for something else', async () => {
    const always = await ready({}, { squash_option: 'always' })
    expect((await always.look()).squash_on_merge).toBe(true)
    expect((await always.merge({ squash: false })).body.squash_commit_sha).not.toBeNull()
    const never = await ready({}, { squash_option: 'never' })
    expect((await never.merge({ squash: true })).body.squash_commit_sha).toBeNull()
  })

  it('fast-forwards, and is refused where the target has more, until it is rebased', async () => {
    const p = await ready({}, { merge_method: 'ff' })
    await expect.poll(async () => (await p.look()).detailed_merge_status).toBe('need_rebase')
    expect((await p.look()).merge_status).toBe('can_be_merged')
    const refused = await p.merge()
    expect([refused.status, refused.body]).toEqual([422, { message: 'Branch cannot be merged' }])
    const asked = await p.developer.get(`${p.mr}?include_diverged_commits_count=true&render_html=true`)
    expect(asked.body).toMatchObject({
      diverged_commits_count: 1,
      title_html: 'Say it aloud',
      description_html: '',
    })
    await p.developer.put(p.mr, { state_event: 'close' })
    expect((await p.developer.put(`${p.mr}/rebase`)).status).toBe(405)
    await p.developer.put(p.mr, { state_event: 'reopen' })
    const both = await Promise.all([p.developer.put(`${p.mr}/rebase`), p.developer.put(`${p.mr}/rebase`)])
    expect(both.toSorted((a, b) => a.status - b.status)).toMatchObject([
      { status: 202, body: { rebase_in_progress: true } },
      { status: 409, body: { message: '409 Conflict - a rebase is under way already' } },
    ])
    const rebasing = `${p.mr}?include_rebase_in_progress=true`
    await expect.poll(async () => (await p.developer.get(rebasing)).body.rebase_in_progress).toBe(false)
    await expect.poll(async () => (await p.look()).detailed_merge_status).toBe('mergeable')
    const rebased = await p.look()
    expect(rebased).toMatchObject({ merge_error: null })
    expect(rebased.sha).not.toBe(p.opened.sha)
    expect(await p.commit('feature~2')).toMatchObject({ id: (await p.commit('main')).id })
    expect(await p.commit('feature')).toMatchObject({
      author_name: 'Ada',
      committer_name: p.developer.username,
    })
    const merged = await p.merge()
    expect(merged.body).toMatchObject({ state: 'merged', merge_commit_sha: null, squash_commit_sha: null })
    expect((await p.commit('main')).id).toBe(rebased.sha)
  })

  it('with a linear history takes a rebase and makes a merge commit', async () => {
    const p = await ready({}, { merge_method: 'rebase_merge' })
    expect((await p.merge()).status).toBe(422)
    await p.developer.put(`${p.mr}/rebase`)
    await expect.poll(async () => (await p.merge()).status).toBe(200)
    expect((await p.commit('main')).parent_ids).toHaveLength(2)
  })

  it('fast-forwards a squashed commit', async () => {
    const p = await ready({ source_branch: 'clash' }, { merge_method: 'ff' })
    await p.developer.put(`${p.mr}/rebase`)
    const sha = async () => (await p.look()).sha
    await expect.poll(sha).not.toBe(p.opened.sha)
    await p.push({ 'more.txt': 'more' }, 'clash')
    const { body } = await p.merge({ squash: true })
    const tip = await p.commit('main')
    expect(body).toMatchObject({ state: 'merged', merge_commit_sha: null, squash_commit_sha: tip.id })
    expect(tip.parent_ids).toHaveLength(1)
  })

  it('into a branch that went on takes three git processes, and says what else it has merged', async () => {
    const p = await ready()
    await p.maintainer.post(`/projects/${p.id}/repository/branches`, { branch: 'other', ref: 'feature' })
    const other = await openMergeRequest(p, p.developer, { source_branch: 'other' })
    await p.push({ 'on main.txt': 'main' }, 'main')
    const { git: processes } = w.running.services.repositories
    const start = processes.start.bind(processes)
    const commands: string[] = []
    // Jobs look at the repository at the same time: those of the request are on behalf of somebody.
    const watching = vi.spyOn(processes, 'start').mockImplementation((at, args, options) => {
      if (currentCaller() !== undefined && options?.lane !== 'keep') commands.push(args[0] ?? '')
      return start(at, args, options)
    })
    const { status, body } = await p.merge()
    watching.mockRestore()
    expect([status, body.state, commands.toSorted()]).toEqual([
      200,
      'merged',
      ['merge-tree', 'rev-list', 'update-ref'],
    ])
    expect((await p.maintainer.get(other.path)).body.state).toBe('merged')
    const { body: events } = await p.maintainer.get(`/projects/${p.id}/events?action=pushed`)
    expect(events[0].push_data).toMatchObject({ commit_to: body.merge_commit_sha, commit_count: 3 })
  })

  it('of conflicting branches is refused', async () => {
    const p = await ready()
    const other = await openMergeRequest(p, p.developer, { source_branch: 'clash' })
    expect((await p.maintainer.put(`${other.path}/merge`)).status).toBe(200)
    const before = await p.commit('main')
    const conflicts = await p.developer.get(`${p.mr}/conflicts`)
    expect([conflicts.status, conflicts.body]).toEqual([200, [{ path: 'a.txt' }]])
    expect((await p.developer.get(`${other.path}/conflicts`)).body).toEqual([])
    const refused = await p.merge()
    expect([refused.status, refused.body]).toEqual([422, { message: 'Branch cannot be merged' }])
    expect(await p.commit('main')).toEqual(before)
    await p.developer.put(`${p.mr}/rebase`)
    await expect.poll(async () => (await p.look()).merge_error).toMatch(/^Rebase failed: .*conflict/)
    expect((await p.look()).sha).toBe(p.opened.sha)
  })

  it('names the commit that the source branch has, when another one was seen', async () => {
    const p = await ready()
    const head = await p.push({ 'e.txt': 'e' }, 'feature')
    const { status, body } = await p.merge({ sha: p.opened.sha })
    expect([status, body]).toEqual([409, { message: `SHA does not match HEAD of source branch: ${head}` }])
    expect((await p.merge({ sha: head })).status).toBe(200)
  })

  it('after a push by force during the review merges what is there now, and only if that was seen', async () => {
    const p = await ready()
    const url = urlWith(p.maintainer.token, p.fullPath)
    const work = await git().clone(url, fresh())
    await work.run('checkout', '--quiet', '-b', 'again', 'origin/main')
    const head = await work.commit({ 'again.txt': 'again' }, 'Again')
    await work.run('push', '--quiet', '--force', 'origin', 'again:feature')
    expect((await p.merge({ sha: p.opened.sha })).status).toBe(409)
    expect((await p.merge({ sha: head })).status).toBe(200)
    await work.run('fetch', '--quiet', 'origin')
    expect((await work.run('ls-tree', '--name-only', 'origin/main')).split('\n')).not.toContain('b.txt')
    expect(await work.id('origin/main^2')).toBe(head)
  })

  it('removes the source branch where that is wanted', async () => {
    const p = await ready({ remove_source_branch: true })
    await p.merge()
    expect(await p.branch('feature')).toBe(404)
    const q = await ready()
    await q.merge({ should_remove_source_branch: true })
    expect(await q.branch('feature')).toBe(404)
    expect(await q.look()).toMatchObject({ state: 'merged', source_branch: 'feature' })
    const r = await ready({ remove_source_branch: true })
    await r.merge({ should_remove_source_branch: false })
    expect(await r.branch('feature')).toBe(200)
  })

  it('removes a source branch later that cannot be written to now', async () => {
    const p = await ready()
    const made = await p.maintainer.post(`/projects/${p.id}/fork`, { path: `fork-${p.id}` })
    const fork = `/projects/${made.body.id}`
    const isThere = async () => (await p.maintainer.get(`${fork}/repository/branches/feature`)).status
    await expect.poll(isThere).toBe(200)
    const opened = await p.maintainer.post(`${fork}/merge_requests`, {
      title: 'From afar',
      source_branch: 'feature',
      target_branch: 'main',
      target_project_id: p.id,
    })
    const makeReadOnly = (because: string | null) =>
      w.db
        .updateTable('repositories')
        .set({ read_only_because: because })
        .where('project_id', '=', made.body.id)
        .execute()
    await makeReadOnly('It moves to another storage')
    const merged = await p.maintainer.put(`/projects/${p.id}/merge_requests/${opened.body.iid}/merge`, {
      should_remove_source_branch: true,
    })
    expect([merged.status, merged.body.state, await isThere()]).toEqual([200, 'merged', 200])
    await makeReadOnly(null)
    await expect.poll(isThere, { timeout: 60_000 }).toBe(404)
  })

  it('closes the issues that it names', async () => {
    const p = await ready()
    const issues = `/projects/${p.id}/issues`
    for (const title of ['one', 'two']) await p.maintainer.post(issues, { title })
    await p.developer.put(p.mr, { description: 'Fixes #1. See #2.' })
    await p.merge()
    expect((await p.maintainer.get(`${issues}/1`)).body).toMatchObject({ state: 'closed' })
    expect((await p.maintainer.get(`${issues}/2`)).body).toMatchObject({ state: 'opened' })
    const { body: notes } = await p.maintainer.get(`${issues}/1/notes`)
    expect(notes.map(({ body }: { body: string }) => body)).toContain('closed via merge request !1')
  })
})

describe('who may merge', () => {
  it('is who may push, and on a protected branch who may merge there', async () => {
    const p = await ready()
    const refused = await p.merge({}, p.reporter)
    expect([refused.status, refused.body]).toEqual([401, { message: '401 Unauthorized' }])
    const protection = { name: 'main', push_access_level: 0, merge_access_level: 40 }
    await p.owner.post(`/projects/${p.id}/protected_branches`, protection)
    expect((await p.merge({}, p.developer)).status).toBe(401)
    expect((await p.developer.get(p.mr)).body.user).toEqual({ can_merge: false })
    expect((await p.merge({}, p.maintainer)).status).toBe(200)
  })
})

describe('what holds a merge back', () => {
  it.each([
    ['draft_status', { title: 'Draft: x' }],
    ['merge_time', { merge_after: '2999-01-01T00:00:00Z' }],
    ['not_open', { state_event: 'close' }],
  ])('is named: %s', async (status, change) => {
    const p = await ready()
    await expect.poll(async () => (await p.look()).detailed_merge_status).toBe('mergeable')
    await p.developer.put(p.mr, change)
    expect((await p.look()).detailed_merge_status).toBe(status)
    const refused = await p.merge()
    expect([refused.status, refused.body]).toEqual([405, { message: '405 Method Not Allowed' }])
  })

  it('is waited for by an automatic merge, which a push ends', async () => {
    const p = await ready({ title: 'Draft: x' })
    const { status, body } = await p.merge({ auto_merge: true })
    expect([status, body]).toMatchObject([200, { state: 'opened', merge_when_pipeline_succeeds: true }])
    await p.developer.put(p.mr, { title: 'x' })
    await expect.poll(async () => (await p.look()).state).toBe('merged')
    expect(await p.look()).toMatchObject({
      merge_user: { id: p.maintainer.id },
      merge_when_pipeline_succeeds: false,
    })

    const q = await ready({ title: 'Draft: x' })
    await q.merge({ merge_when_pipeline_succeeds: true })
    await q.push({ 'e.txt': 'e' }, 'feature')
    expect(await q.look()).toMatchObject({ merge_when_pipeline_succeeds: false })
    const { body: notes } = await q.maintainer.get(`${q.mr}/notes?sort=asc`)
    expect(notes.map((note: { body: string }) => note.body)).toEqual([
      `enabled an automatic merge when all merge checks for ${q.opened.sha} pass`,
      expect.stringMatching(/^added 1 commit\n/),
      'aborted the automatic merge because source branch was updated',
    ])
  })

  it('is waited for until somebody cancels that', async () => {
    const p = await ready({ title: 'Draft: x' })
    await p.merge({ auto_merge: true })
    const cancel = `${p.mr}/cancel_merge_when_pipeline_succeeds`
    expect((await p.reporter.post(cancel)).status).toBe(401)
    const { status, body } = await p.developer.post(cancel)
    expect([status, body]).toMatchObject([201, { merge_when_pipeline_succeeds: false }])
    await p.developer.put(p.mr, { title: 'x' })
    expect(await p.look()).toMatchObject({ state: 'opened' })
  })

  it('is given up by an automatic merge that is refused for good', async () => {
    const p = await ready({ title: 'Draft: x' })
    await p.merge({ auto_merge: true })
    // Once nobody may merge, a first try that comes late gives up, too.
    expect((await p.look()).merge_when_pipeline_succeeds).toBe(true)
    const nobody = { name: 'main', merge_access_level: 0, push_access_level: 0 }
    expect((await p.owner.post(`/projects/${p.id}/protected_branches`, nobody)).status).toBe(201)
    await p.developer.put(p.mr, { title: 'x' })
    await expect
      .poll(p.look)
      .toMatchObject({ merge_when_pipeline_succeeds: false, merge_error: '401 Unauthorized' })
    expect((await p.look()).state).toBe('opened')
  })

  it('is nothing for an automatic merge of what can be merged', async () => {
    const p = await ready()
    expect((await p.merge({ auto_merge: true })).body).toMatchObject({ state: 'merged' })
  })
})

describe('merges at once', () => {
  it('of one merge request: one wins, the others are refused', async () => {
    const p = await ready({ squash: true })
    const answers = await Promise.all(Array.from({ length: 4 }, () => p.merge()))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 405, 405, 405])
    expect((await p.commit('main~1')).id).toBe(p.opened.diff_refs.start_sha)
  })

  it('of 8 into one branch leave a line of merges in which nothing is lost', async () => {
    const p = await branchedProject()
    const names = Array.from({ length: 8 }, (_, index) => `change-${index}`)
    const paths: string[] = []
    for (const name of names) {
      const actions = [{ action: 'create', file_path: `${name}.txt`, content: name }]
      const given = { branch: name, start_branch: 'main', commit_message: name, actions }
      await p.maintainer.post(`/projects/${p.id}/repository/commits`, given)
      paths.push((await openMergeRequest(p, p.developer, { source_branch: name })).path)
    }
    const answers = await Promise.all(paths.map((path) => p.maintainer.put(`${path}/merge`)))
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200))
    const url = urlWith(p.maintainer.token, p.fullPath)
    const work = await git().clone(url, fresh())
    expect((await work.run('rev-list', '--first-parent', '--count', 'HEAD')).trim()).toBe('10')
    const files = (await work.run('ls-tree', '--name-only', 'HEAD')).split('\n')
    expect(names.filter((name) => !files.includes(`${name}.txt`))).toEqual([])
    const shas = answers.map(({ body }) => body.merge_commit_sha)
    expect(new Set(shas).size).toBe(8)
  })
})

describe('a process that dies between git and the database', () => {
  it('has merged: whoever comes next says so, once', async () => {
    const p = await ready({ description: 'Closes #1' })
    await p.maintainer.post(`/projects/${p.id}/issues`, { title: 'It breaks' })
    const before = (await p.commit('main')).id
    const after = (await p.reporter.get(`${p.mr}/merge_ref`)).body.commit_id
    const { repository } = p
    const changes = JSON.stringify([{ ref: 'refs/heads/main', before, after }])
    const intent = {
      repository_id: repository.row.id,
      // A process that nobody knows.
      holder: 1,
      changes,
      cause: `merge 1 ${p.opened.sha}`,
      site: w.url,
      actor_id: p.maintainer.id,
      behind_id: null,
      ip: null,
      request_id: null,
      created_at: new Date().toISOString(),
    }
    await w.db.insertInto('reference_changes').values(intent).execute()
    await repository.git.capture(repository, ['update-ref', 'refs/heads/main', after, before])
    expect((await p.look()).state).toBe('opened')
    await Promise.all([p.push({ 'x.txt': 'x' }, 'clash'), p.merge()])
    expect(await p.look()).toMatchObject({
      state: 'merged',
      merge_commit_sha: after,
      merge_user: { id: p.maintainer.id },
    })
    expect((await p.commit('main')).id).toBe(after)
    const { body: notes } = await p.maintainer.get(`${p.mr}/notes`)
    expect(notes.map(({ body }: { body: string }) => body)).toEqual(['merged'])
    const { body: issue } = await p.maintainer.get(`/projects/${p.id}/issues/1/notes`)
    expect(issue.map(({ body }: { body: string }) => body)).toContain('closed via merge request !1')
  })
})

describe('the commit that merging would give', () => {
  it('is made once for the same branches, and shown to nobody on a branch', async () => {
    const p = await ready()
    const { status, body } = await p.reporter.get(`${p.mr}/merge_ref`)
    expect(status).toBe(200)
    expect(await p.commit(body.commit_id)).toMatchObject({
      parent_ids: [(await p.commit('main')).id, p.opened.sha],
    })
    expect((await p.reporter.get(`${p.mr}/merge_ref`)).body).toEqual(body)
    const url = urlWith(p.maintainer.token, p.fullPath)
    expect(await git().run(['ls-remote', url])).not.toContain('merge-requests')
    await p.push({ 'e.txt': 'e' }, 'feature')
    expect((await p.reporter.get(`${p.mr}/merge_ref`)).body).not.toEqual(body)
    await p.merge()
    expect((await p.reporter.get(`${p.mr}/merge_ref`)).status).toBe(400)
    expect((await p.reporter.get(`${p.mr}/pipelines`)).body).toEqual([])
  })
})

describe('commands in notes', () => {
  it('/merge merges what was seen, and nothing else', async () => {
    const p = await ready()
    const say = (body: string, more: object = {}) => p.maintainer.post(`${p.mr}/notes`, { body, ...more })
    const seen = { merge_request_diff_head_sha: p.opened.sha }
    const without = await say('/merge')
    expect([without.status, without.body.message]).toEqual([
      400,
      '400 Bad request - /merge needs merge_request_diff_head_sha, the commit that you have seen.',
    ])
    const stale = await say('Fine.\n\n/merge', { merge_request_diff_head_sha: '0'.repeat(40) })
    expect(stale.status).toBe(201)
    expect(JSON.stringify(stale.body)).toContain('has other commits than those that you have seen')
    expect((await p.look()).state).toBe('opened')
    expect((await p.reporter.post(`${p.mr}/notes`, { body: '/merge', ...seen })).status).toBe(400)
    const { status, body } = await say('/merge', seen)
    expect([status, body]).toMatchObject([
      202,
      { commands_changes: { merge: p.opened.sha }, summary: ['Scheduled to merge this merge request.'] },
    ])
    await expect.poll(async () => (await p.look()).state).toBe('merged')
    expect(await p.look()).toMatchObject({ merge_user: { id: p.maintainer.id } })
  })

  it('/rebase rebases', async () => {
    const p = await ready()
    const { status, body } = await p.developer.post(`${p.mr}/notes`, { body: '/rebase' })
    expect([status, body.summary]).toEqual([202, ['Scheduled a rebase of this merge request.']])
    await expect.poll(async () => (await p.commit('feature~2')).id).toBe((await p.commit('main')).id)
    expect((await p.reporter.post(`${p.mr}/notes`, { body: '/rebase' })).status).toBe(400)
  })
})
