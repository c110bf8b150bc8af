import { beforeAll, describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { record } from '#platform/facts/record.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { w } from '#test/mail-world.ts'
import { type Actor, unique } from '#test/world.ts'
import { type CustomEvent, customEvents } from '../notification-settings/events.ts'
import { findDueIssues } from './due.ts'
import { mailsOf, subjectsOf } from './test-support.ts'

// Every row of the table of notification email events. Three people listen who take part in nothing: one chose this event,
// one chose all the others, and one watches. Those of epics and approvals are in licensed.test.ts.

type Project = Awaited<ReturnType<typeof branchedProject>>
type Row = Exclude<CustomEvent, 'new_epic' | 'approver'>

interface Happening {
  /** Makes it happen to something with this title. @returns the subject of the mail */
  readonly happens: (title: string) => Promise<string>
  /** Whether people who watch are told. */
  readonly watched: boolean
}

let p: Project
let chosen: Actor
let others: Actor
let watcher: Actor

beforeAll(async () => {
  p = await branchedProject(undefined, w)
  ;[chosen, others, watcher] = [p.reporter, await w.user(), p.securityManager]
  await w.member(p.namespaceId, others, levels.reporter)
  await watcher.put(`/projects/${p.id}/notification_settings`, { level: 'watch' })
})

const name = () => p.fullPath.split('/').at(-1)

async function issue(title: string, more: object = {}) {
  const { body, status } = await p.owner.post(`/projects/${p.id}/issues`, { title, ...more })
  expect(status).toBe(201)
  return {
    path: `/projects/${p.id}/issues/${body.iid}`,
    subject: `Re: ${name()} | ${title} (#${body.iid})`,
    body,
  }
}

/** A merge request with branches of its own. */
async function mergeRequest(title: string) {
  const branch = unique('branch')
  await p.developer.post(`/projects/${p.id}/repository/commits`, {
    branch,
    start_branch: 'main',
    commit_message: title,
    actions: [{ action: 'create', file_path: `${branch}.txt`, content: title }],
  })
  const { path, body } = await openMergeRequest(p, p.developer, { title, source_branch: branch })
  return { path, branch, body, subject: `Re: ${name()} | ${title} (!${body.iid})` }
}

const changed = async (made: Promise<{ path: string; subject: string }>, change: object, by = p.owner) => {
  const { path, subject } = await made
  expect((await by.put(path, change)).status).toBe(200)
  return subject
}

const pipeline = async (title: string, status: 'success' | 'failed', fixed: boolean) => {
  // It is nobody's but their own.
  for (const { id } of [chosen, others, watcher]) {
    await w.write(async (tx) =>
      record(
        { ...tx, author: null },
        {
          name: 'pipeline finished',
          namespace: p.namespaceId,
          target: null,
          details: { status, fixed, user_id: id, ref: title, sha: 'a'.repeat(40), merge_request_id: null },
        },
      ),
    )
  }
  const outcome = status === 'failed' ? 'failed' : fixed ? 'was fixed' : 'succeeded'
  return `${name()} | Pipeline for ${title} ${outcome}`
}

const rows: Record<Row, Happening> = {
  change_reviewer_merge_request: {
    happens: (title) => changed(mergeRequest(title), { reviewer_ids: [p.maintainer.id] }),
    watched: true,
  },
  close_issue: { happens: (title) => changed(issue(title), { state_event: 'close' }), watched: true },
  close_merge_request: {
    happens: (title) => changed(mergeRequest(title), { state_event: 'close' }),
    watched: true,
  },
  failed_pipeline: { happens: (title) => pipeline(title, 'failed', false), watched: true },
  fixed_pipeline: { happens: (title) => pipeline(title, 'success', true), watched: true },
  issue_due: {
    async happens(title) {
      const tomorrow = new Date(w.clock.now().getTime() + 86_400_000).toISOString().slice(0, 10)
      const { subject } = await issue(title, { due_date: tomorrow })
      await w.write((tx) => enqueue(tx, findDueIssues, {}))
      return subject
    },
    watched: false,
  },
  merge_merge_request: {
    async happens(title) {
      const { path, subject, body } = await mergeRequest(title)
      const done = await p.maintainer.put(`${path}/merge`, { sha: body.sha })
      expect(done.status).toBe(200)
      return subject
    },
    watched: true,
  },
  merge_when_pipeline_succeeds: {
    async happens(title) {
      const { path, subject } = await mergeRequest(`Draft: ${title}`)
      const wished = await p.maintainer.put(`${path}/merge`, { auto_merge: true })
      expect(wished).toMatchObject({ status: 200, body: { merge_when_pipeline_succeeds: true } })
      return subject
    },
    watched: true,
  },
  moved_project: {
    async happens(title) {
      const path = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
      expect((await p.owner.put(`/projects/${p.id}`, { path })).status).toBe(200)
      const subject = `${name()} | Project was moved`
      return subject
    },
    watched: true,
  },
  new_issue: { happens: async (title) => (await issue(title)).subject.slice(4), watched: true },
  new_merge_request: {
    happens: async (title) => (await mergeRequest(title)).subject.slice(4),
    watched: true,
  },
  new_note: {
    async happens(title) {
      const { path, subject } = await issue(title)
      expect((await p.owner.post(`${path}/notes`, { body: 'Look' })).status).toBe(201)
      return subject
    },
    watched: true,
  },
  new_release: {
    async happens(title) {
      const made = await p.owner.post(`/projects/${p.id}/releases`, {
        tag_name: title.replaceAll(/\W+/g, '-'),
        ref: 'main',
        name: title,
        description: 'What is new',
      })
      expect(made.status).toBe(201)
      return `${name()} | New release: ${title}`
    },
    watched: true,
  },
  push_to_merge_request: {
    async happens(title) {
      const { branch, subject } = await mergeRequest(title)
      const pushed = await p.developer.post(`/projects/${p.id}/repository/commits`, {
        branch,
        commit_message: 'More',
        actions: [{ action: 'create', file_path: `${branch}-2.txt`, content: title }],
      })
      expect(pushed.status).toBe(201)
      return subject
    },
    watched: false,
  },
  reassign_issue: {
    happens: (title) => changed(issue(title), { assignee_ids: [p.maintainer.id] }),
    watched: true,
  },
  reassign_merge_request: {
    happens: (title) => changed(mergeRequest(title), { assignee_ids: [p.maintainer.id] }),
    watched: true,
  },
  reopen_issue: {
    async happens(title) {
      const made = issue(title)
      await changed(made, { state_event: 'close' })
      await mailsOf(watcher)
      return changed(made, { state_event: 'reopen' })
    },
    watched: true,
  },
  reopen_merge_request: {
    async happens(title) {
      const made = mergeRequest(title)
      await changed(made, { state_event: 'close' })
      return changed(made, { state_event: 'reopen' })
    },
    watched: true,
  },
  success_pipeline: { happens: (title) => pipeline(title, 'success', false), watched: false },
}

const all = (on: boolean) => Object.fromEntries(customEvents.map((event) => [event, on]))

describe.each(Object.keys(rows).filter((row): row is Row => row in rows))('%s', (row) => {
  test('is sent to who chose it, and not to who chose all the others', async () => {
    const settings = `/projects/${p.id}/notification_settings`
    await chosen.put(settings, { level: 'custom', ...all(false), [row]: true })
    await others.put(settings, { level: 'custom', ...all(true), [row]: false })
    const before = await Promise.all([chosen, others, watcher].map((one) => subjectsOf(one)))
    const { happens, watched } = rows[row]
    const subject = await happens(unique(`Row ${row}`))
    const [mine = [], theirs = [], watching = []] = await Promise.all(
      [chosen, others, watcher].map(async (one, index) =>
        (await subjectsOf(one)).slice(before[index]?.length ?? 0),
      ),
    )
    expect(mine).toEqual([subject])
    // What came before it, such as the creation of an issue, is told to the two others.
    expect(theirs).toHaveLength(watching.length - (watched ? 1 : 0))
  })
})
