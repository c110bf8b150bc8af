import { describe, expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { giveSample } from '#test/repositories.ts'
import { w } from '#test/world.ts'
import { allowReceivers, receiver, settled } from './test-support.ts'
import { triggersOf } from './triggers.ts'

allowReceivers()

const all = Object.fromEntries(triggersOf.project.map((name) => [name, true]))

/** A project, and a webhook of it for everything. */
async function hooked(place?: Awaited<ReturnType<typeof w.project>>) {
  const project = place ?? (await w.project())
  const server = await receiver()
  await project.maintainer.post(`/projects/${project.id}/hooks`, { ...all, url: server.url })
  return { project, server, base: `/projects/${project.id}` }
}

const utc = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
const hex = expect.stringMatching(/^[0-9a-f]{40}$/)
const zeros = '0'.repeat(40)

/** The project in payloads. */
const shown = ({ id, fullPath }: { id: number; fullPath: string }, default_branch: unknown = 'main') => {
  const web_url = `${w.url}/${fullPath}`
  return {
    id,
    name: fullPath.split('/').at(-1),
    description: null,
    web_url,
    avatar_url: null,
    git_ssh_url: `${web_url}.git`,
    git_http_url: `${web_url}.git`,
    namespace: expect.any(String),
    visibility_level: 0,
    path_with_namespace: fullPath,
    default_branch,
    ci_config_path: null,
    homepage: web_url,
    url: `${web_url}.git`,
    ssh_url: `${web_url}.git`,
    http_url: `${web_url}.git`,
  }
}

const userOf = ({ id, username }: { id: number; username: string }) => ({
  id,
  username,
  name: username,
  avatar_url: null,
  email: '[REDACTED]',
})

describe('an issue', () => {
  test('that was created is told with everything about it', async () => {
    const { project, server, base } = await hooked()
    await project.maintainer.post(`${base}/labels`, { name: 'bug', color: '#ff0000' })
    const wanted = {
      title: 'Broken',
      description: 'Help',
      labels: 'bug',
      assignee_ids: [project.developer.id],
    }
    const { body: issue } = await project.maintainer.post(`${base}/issues`, wanted)
    const [{ headers, body } = { headers: {}, body: {} }] = await server.has(1)
    const label = {
      id: expect.any(Number),
      title: 'bug',
      color: '#ff0000',
      project_id: project.id,
      created_at: utc,
      updated_at: utc,
      template: false,
      description: null,
      type: 'ProjectLabel',
      group_id: null,
    }
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-gitlab-event': 'Issue Hook',
      'x-gitlab-instance': w.url,
      'x-gitlab-webhook-uuid': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-gitlab-event-uuid': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(body).toEqual({
      object_kind: 'issue',
      event_type: 'issue',
      user: userOf(project.maintainer),
      project: shown(project, null),
      object_attributes: {
        id: issue.id,
        iid: 1,
        title: 'Broken',
        description: 'Help',
        assignee_ids: [project.developer.id],
        assignee_id: project.developer.id,
        author_id: project.maintainer.id,
        project_id: project.id,
        created_at: utc,
        updated_at: utc,
        closed_at: null,
        updated_by_id: null,
        last_edited_at: null,
        last_edited_by_id: null,
        relative_position: null,
        milestone_id: null,
        state_id: 1,
        state: 'opened',
        confidential: false,
        discussion_locked: null,
        due_date: null,
        moved_to_id: null,
        duplicated_to_id: null,
        time_estimate: 0,
        total_time_spent: 0,
        time_change: 0,
        human_total_time_spent: null,
        human_time_estimate: null,
        human_time_change: null,
        weight: null,
        health_status: null,
        type: 'Issue',
        severity: 'unknown',
        url: `${w.url}/${project.fullPath}/-/issues/1`,
        labels: [label],
        action: 'open',
      },
      labels: [label],
      changes: {},
      repository: {
        name: project.fullPath.split('/').at(-1),
        url: `${w.url}/${project.fullPath}.git`,
        description: null,
        homepage: `${w.url}/${project.fullPath}`,
      },
      assignees: [userOf(project.developer)],
      assignee: userOf(project.developer),
    })
  })

  test('that changes in several ways by one request is told once, with what differs', async () => {
    const { project, server, base } = await hooked()
    await project.maintainer.post(`${base}/labels`, { name: 'old', color: '#111111' })
    await project.maintainer.post(`${base}/labels`, { name: 'new', color: '#222222' })
    await project.maintainer.post(`${base}/issues`, { title: 'Before', labels: 'old' })
    const change = {
      title: 'After',
      labels: 'new',
      assignee_ids: [project.developer.id],
      due_date: '2030-01-02',
      state_event: 'close',
      discussion_locked: true,
    }
    await project.maintainer.put(`${base}/issues/1`, change)
    await project.maintainer.put(`${base}/issues/1`, { state_event: 'reopen' })
    const [, closed, reopened] = await server.has(3)
    expect(closed?.body).toMatchObject({
      object_attributes: { action: 'close', state: 'closed', state_id: 2, title: 'After' },
      changes: {
        title: { previous: 'Before', current: 'After' },
        due_date: { previous: null, current: '2030-01-02' },
        discussion_locked: { previous: false, current: true },
        state_id: { previous: 1, current: 2 },
        labels: { previous: [{ title: 'old' }], current: [{ title: 'new' }] },
        assignees: { previous: [], current: [{ username: project.developer.username }] },
      },
    })
    expect(reopened?.body).toMatchObject({
      object_attributes: { action: 'reopen', state: 'opened' },
      changes: { state_id: { previous: 2, current: 1 } },
    })
    await settled()
    expect(server.received).toHaveLength(3)
  })
})

test('comments on issues, merge requests, commits and snippets are told with what they are on', async () => {
  const project = await branchedProject()
  const { server, base } = await hooked(project)
  await project.developer.post(`${base}/issues`, { title: 'Discuss' })
  const {
    body: { iid },
  } = await openMergeRequest(project, project.developer)
  const { body: snippet } = await project.developer.post(`${base}/snippets`, {
    title: 'Snip',
    visibility: 'private',
    files: [{ file_path: 'a.txt', content: 'a' }],
  })
  const { body: branch } = await project.developer.get(`${base}/repository/branches/main`)
  await settled()
  const before = server.received.length
  await project.developer.post(`${base}/issues/1/notes`, { body: 'on an issue' })
  await project.developer.post(`${base}/merge_requests/${iid}/notes`, { body: 'on a merge request' })
  await project.developer.post(`${base}/snippets/${snippet.id}/notes`, { body: 'on a snippet' })
  await project.developer.post(`${base}/repository/commits/${branch.commit.id}/discussions`, {
    body: 'on a commit',
  })
  const { body: opened } = await project.developer.get(`${base}/merge_requests/${iid}`)
  const [file] = (await project.developer.get(`${base}/merge_requests/${iid}/diffs`)).body
  const position = { ...opened.diff_refs, position_type: 'file', new_path: file.new_path }
  await project.developer.post(`${base}/merge_requests/${iid}/discussions`, { body: 'on a file', position })
  const [onFile, ...notes] = (await server.has(before + 5)).slice(before).toReversed()
  notes.reverse()
  expect(onFile?.body.object_attributes).toMatchObject({ type: 'DiffNote', commit_id: '', position })
  expect(onFile?.body.object_attributes.original_position).toMatchObject(position)
  expect(new Set(notes.map(({ headers }) => headers['x-gitlab-event']))).toEqual(new Set(['Note Hook']))
  expect(notes.map(({ body }) => body.object_attributes.noteable_type)).toEqual([
    'Issue',
    'MergeRequest',
    'Snippet',
    'Commit',
  ])
  const [onIssue, onMergeRequest, onSnippet, onCommit] = notes.map(({ body }) => body)
  expect(onIssue).toMatchObject({
    object_kind: 'note',
    event_type: 'note',
    project_id: project.id,
    user: userOf(project.developer),
    object_attributes: {
      note: 'on an issue',
      action: 'create',
      system: false,
      commit_id: '',
      position: null,
      created_at: utc,
      url: expect.stringMatching(/issues\/1#note_\d+$/),
    },
    issue: { iid: 1, title: 'Discuss', state: 'opened' },
  })
  expect(onMergeRequest.merge_request).toMatchObject({
    iid,
    target: { id: project.id },
    last_commit: { id: hex },
  })
  expect(onSnippet.snippet).toMatchObject({
    id: snippet.id,
    title: 'Snip',
    file_name: 'a.txt',
    type: 'ProjectSnippet',
  })
  expect(onCommit).toMatchObject({
    object_attributes: { commit_id: branch.commit.id, noteable_id: null },
    commit: { id: branch.commit.id, author: { name: expect.any(String) } },
  })
})

test('a changed comment is told as an update', async () => {
  const { project, server, base } = await hooked()
  await project.developer.post(`${base}/issues`, { title: 'Discuss' })
  const { body: note } = await project.developer.post(`${base}/issues/1/notes`, { body: 'first' })
  await project.developer.put(`${base}/issues/1/notes/${note.id}`, { body: 'second' })
  const [, , changed] = await server.has(3)
  expect(changed?.body.object_attributes).toMatchObject({ note: 'second', action: 'update' })
})

describe('a push', () => {
  const commit = (path: string, more: object = {}) => ({
    branch: 'main',
    commit_message: `Add ${path}\n\nAnd more`,
    actions: [{ action: 'create', file_path: path, content: path }],
    ...more,
  })

  test('is told with its commits and their files', async () => {
    const project = await w.project()
    await giveSample(project)
    const { server, base } = await hooked(project)
    const { body: made } = await project.maintainer.post(
      `${base}/repository/commits`,
      commit('new.txt', {
        actions: [
          { action: 'create', file_path: 'new.txt', content: 'new' },
          { action: 'update', file_path: 'README.md', content: 'other' },
          { action: 'delete', file_path: 'src/main.ts' },
        ],
      }),
    )
    const [{ headers, body } = { headers: {}, body: {} }] = await server.has(1)
    expect(headers).toMatchObject({ 'x-gitlab-event': 'Push Hook' })
    expect(body).toEqual({
      object_kind: 'push',
      event_name: 'push',
      before: made.parent_ids[0],
      after: made.id,
      ref: 'refs/heads/main',
      ref_protected: false,
      checkout_sha: made.id,
      message: null,
      user_id: project.maintainer.id,
      user_name: project.maintainer.username,
      user_username: project.maintainer.username,
      user_email: '[REDACTED]',
      user_avatar: null,
      project_id: project.id,
      project: shown(project),
      commits: [
        {
          id: made.id,
          message: 'Add new.txt\n\nAnd more',
          title: 'Add new.txt',
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/),
          url: `${w.url}/${project.fullPath}/-/commit/${made.id}`,
          author: { name: made.author_name, email: made.author_email },
          added: ['new.txt'],
          modified: ['README.md'],
          removed: ['src/main.ts'],
        },
      ],
      total_commits_count: 1,
      push_options: {},
      repository: {
        name: project.fullPath.split('/').at(-1),
        url: `${w.url}/${project.fullPath}.git`,
        description: null,
        homepage: `${w.url}/${project.fullPath}`,
        git_http_url: `${w.url}/${project.fullPath}.git`,
        git_ssh_url: `${w.url}/${project.fullPath}.git`,
        visibility_level: 0,
      },
    })
  })

  test('that makes or deletes a branch or tag is told with zeros', async () => {
    const project = await w.project()
    await giveSample(project)
    const { server, base } = await hooked(project)
    await project.maintainer.post(`${base}/repository/branches?branch=side&ref=main`)
    await project.maintainer.delete(`${base}/repository/branches/side`)
    await project.maintainer.post(`${base}/repository/tags`, {
      tag_name: 'v1',
      ref: 'main',
      message: 'First',
    })
    const [made, deleted, tagged] = await server.has(3)
    expect(made?.body).toMatchObject({ before: zeros, after: hex, ref: 'refs/heads/side', commits: [] })
    expect(deleted?.body).toMatchObject({ before: hex, after: zeros, checkout_sha: null })
    expect(tagged?.headers['x-gitlab-event']).toBe('Tag Push Hook')
    expect(tagged?.body).toMatchObject({
      object_kind: 'tag_push',
      event_name: 'tag_push',
      ref: 'refs/tags/v1',
      before: zeros,
      checkout_sha: made?.body.after,
      message: expect.stringContaining('First'),
      total_commits_count: 0,
    })
  })

  test.each([
    ['wildcard', 'release/*', ['release/1']],
    ['regex', '^(main|side)$', ['main']],
    ['all_branches', 'nothing', ['main', 'release/1']],
  ])('is told where the filter (%s) has its branch', async (branch_filter_strategy, filter, told) => {
    const project = await w.project()
    await giveSample(project)
    const server = await receiver()
    await project.maintainer.post(`/projects/${project.id}/hooks`, {
      url: server.url,
      branch_filter_strategy,
      push_events_branch_filter: filter,
    })
    const path = `/projects/${project.id}/repository/commits`
    await project.maintainer.post(path, commit('a.txt'))
    await project.maintainer.post(path, commit('b.txt', { branch: 'release/1', start_branch: 'main' }))
    await server.has(told.length)
    await settled()
    expect(server.received.map(({ body }) => body.ref)).toEqual(told.map((name) => `refs/heads/${name}`))
  })
})

test('a merge request is told of when it is opened, changed, approved and merged', async () => {
  const project = await branchedProject()
  const { server, base } = await hooked(project)
  const {
    body: { iid },
  } = await openMergeRequest(project, project.developer, { title: 'Draft: One' })
  const path = `${base}/merge_requests/${iid}`
  await server.has(1) // a delivery shows the merge request as it is when the delivery is made
  await project.maintainer.put(path, { title: 'One', reviewer_ids: [project.maintainer.id] })
  await project.maintainer.post(`${path}/approve`)
  await expect.poll(async () => (await project.maintainer.put(`${path}/merge`)).status).toBe(200)
  await server.has(5)
  await settled()
  const told = server.received.filter(({ headers }) => headers['x-gitlab-event'] === 'Merge Request Hook')
  const actions = told.map(({ body }) => body.object_attributes.action)
  expect(actions).toEqual(['open', 'update', 'approved', 'merge'])
  expect(told[0]?.body).toMatchObject({
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: userOf(project.developer),
    project: shown(project),
    object_attributes: {
      iid,
      state: 'opened',
      draft: true,
      work_in_progress: true,
      source_project_id: project.id,
      target_project_id: project.id,
      source: shown(project),
      target: shown(project),
      last_commit: { id: hex, title: expect.any(String) },
      url: `${w.url}/${project.fullPath}/-/merge_requests/${iid}`,
    },
    changes: {},
  })
  expect(told[1]?.body.object_attributes.updated_by_id).toBe(project.maintainer.id)
  expect(told[1]?.body.changes).toMatchObject({
    title: { previous: 'Draft: One', current: 'One' },
    draft: { previous: true, current: false },
    reviewers: { previous: [], current: [{ username: project.maintainer.username }] },
  })
  expect(told[3]?.body.object_attributes).toMatchObject({ state: 'merged', merge_commit_sha: hex })
})

test('deployments are told as they begin and as they end', async () => {
  const { project, server, base } = await hooked(await branchedProject())
  const { body: environment } = await project.developer.post(`${base}/environments`, {
    name: 'staging',
    external_url: 'https://staging.example.com',
  })
  const wanted = { environment: 'staging', sha: 'feature', ref: 'feature', tag: false, status: 'running' }
  const { body: deployment } = await project.developer.post(`${base}/deployments`, wanted)
  await project.developer.put(`${base}/deployments/${deployment.id}`, { status: 'success' })
  const [begun, ended] = await server.has(2)
  expect(begun?.headers['x-gitlab-event']).toBe('Deployment Hook')
  expect(begun?.body).toEqual({
    object_kind: 'deployment',
    status: 'running',
    status_changed_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000$/),
    deployment_id: deployment.id,
    deployable_id: null,
    deployable_url: null,
    environment: 'staging',
    environment_tier: 'staging',
    environment_slug: 'staging',
    environment_external_url: environment.external_url,
    project: shown(project),
    short_sha: deployment.sha.slice(0, 8),
    user: userOf(project.developer),
    user_url: `${w.url}/${project.developer.username}`,
    commit_url: `${w.url}/${project.fullPath}/-/commit/${deployment.sha}`,
    commit_title: 'Add c',
    ref: 'feature',
  })
  expect(ended?.body).toMatchObject({ status: 'success', deployment_id: deployment.id })
})

test('wiki pages, milestones and reactions are told', async () => {
  const { project, server, base } = await hooked()
  await project.developer.post(`${base}/wikis`, { title: 'Home page', content: 'Welcome' })
  const [wiki] = await server.has(1)
  expect(wiki?.headers['x-gitlab-event']).toBe('Wiki Page Hook')
  expect(wiki?.body).toMatchObject({
    object_kind: 'wiki_page',
    wiki: { path_with_namespace: `${project.fullPath}.wiki` },
    object_attributes: {
      slug: 'Home-page',
      content: 'Welcome',
      format: 'markdown',
      action: 'create',
      version_id: hex,
    },
  })
  const { body: milestone } = await project.developer.post(`${base}/milestones`, {
    title: 'v1',
    due_date: '2030-01-02',
  })
  await project.developer.put(`${base}/milestones/${milestone.id}`, { state_event: 'close' })
  // Of what is gone nobody is told that it came.
  await server.has(3)
  await project.developer.delete(`${base}/milestones/${milestone.id}`)
  const milestones = (await server.has(4)).slice(1)
  expect(milestones.map(({ body }) => [body.action, body.object_attributes.state])).toEqual([
    ['create', 'active'],
    ['close', 'closed'],
    ['delete', 'closed'],
  ])
  expect(milestones[2]?.body.object_attributes).toMatchObject({
    id: milestone.id,
    iid: 1,
    title: 'v1',
    due_date: '2030-01-02',
  })
  await project.developer.post(`${base}/issues`, { title: 'Nice' })
  const { body: award } = await project.developer.post(`${base}/issues/1/award_emoji`, { name: 'thumbsup' })
  await project.developer.delete(`${base}/issues/1/award_emoji/${award.id}`)
  const [, given, taken] = (await server.has(7)).slice(4)
  expect(given?.body).toMatchObject({
    object_kind: 'emoji',
    event_type: 'award',
    object_attributes: { id: award.id, name: 'thumbsup', awardable_type: 'Issue', action: 'award' },
    issue: { iid: 1 },
  })
  expect(taken?.body).toMatchObject({
    event_type: 'revoke',
    object_attributes: { id: award.id, action: 'revoke' },
  })
})
