import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '#test/client.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { openWorld, unique, type World } from '#test/world.ts'
import { receiver, settled } from './test-support.ts'
import { type HookKind, type Trigger, triggersOf } from './triggers.ts'

// What is confidential goes to the webhooks that ask for it alone, whatever happens to it. What is private goes to none.

let own: World
beforeAll(async () => {
  own = await openWorld(undefined, 'premium')
  await own.root.put('/application/settings', { outbound_local_requests_whitelist: ['127.0.0.1'] })
}, 60_000)
afterAll(() => own.running.stop())

const created = async (answer: Promise<Answer>) => {
  const { status, body, text } = await answer
  if (status >= 300) throw new Error(`${status}: ${text}`)
  return body
}

const confidential: readonly string[] = ['confidential_issues_events', 'confidential_note_events']
const all = (kind: HookKind, without: readonly string[] = []) =>
  Object.fromEntries(triggersOf[kind].map((name) => [name, !without.includes(name)]))

/** A project and two webhooks: one for what is confidential, too, and one for everything else; the same at its group. */
async function listened() {
  const p = await branchedProject({ visibility: 'public' }, own)
  const at = `/projects/${p.id}`
  const [open, secret] = [await receiver(), await receiver()]
  for (const [kind, path] of [
    ['project', at],
    ['group', `/groups/${p.groupId}`],
  ] as const) {
    await created(own.root.post(`${path}/hooks`, { ...all(kind, confidential), url: open.url }))
    await created(own.root.post(`${path}/hooks`, { ...all(kind), url: secret.url }))
  }
  return { ...p, at, open, secret }
}

type Listened = Awaited<ReturnType<typeof listened>>

/** What happens to one thing, each on top of what was before. */
type Acts = Readonly<Record<string, (p: Listened, path: string) => Promise<Answer>>>

const changes: Acts = {
  'gets another title': ({ developer }, path) => developer.put(path, { title: 'Hidden twice' }),
  'gets another description': ({ developer }, path) => developer.put(path, { description: 'Hidden text' }),
  'gets people': ({ developer, owner }, path) => developer.put(path, { assignee_ids: [owner.id] }),
  'gets labels': ({ developer }, path) => developer.put(path, { labels: 'a' }),
  'is locked': ({ developer }, path) => developer.put(path, { discussion_locked: true }),
  'is due': ({ developer }, path) => developer.put(path, { due_date: '2030-01-01' }),
  'weighs more': ({ developer }, path) => developer.put(path, { weight: 3 }),
  'is estimated': ({ developer }, path) => developer.post(`${path}/time_estimate`, { duration: '1h' }),
  'takes time': ({ developer }, path) => developer.post(`${path}/add_spent_time`, { duration: '1h' }),
  'is closed': ({ developer }, path) => developer.put(path, { state_event: 'close' }),
  'is reopened': ({ developer }, path) => developer.put(path, { state_event: 'reopen' }),
  'gets a reaction': ({ developer }, path) => developer.post(`${path}/award_emoji`, { name: 'eyes' }),
}

/** A comment, and what happens to it. */
const comments = (more: object): Acts => {
  let note = 0
  return {
    'gets a comment': async ({ developer }, path) => {
      const answer = await developer.post(`${path}/notes`, { body: 'Hidden words', ...more })
      note = answer.body.id
      return answer
    },
    'has its comment changed': ({ developer }, path) =>
      developer.put(`${path}/notes/${note}`, { body: 'Hidden words again' }),
    'gets a reaction to the comment': ({ owner }, path) =>
      owner.post(`${path}/notes/${note}/award_emoji`, { name: 'eyes' }),
  }
}

const secrets: Readonly<Record<string, { make: (p: Listened) => Promise<string>; acts: Acts }>> = {
  'a confidential issue': {
    make: async ({ developer, at }) => {
      const { iid } = await created(developer.post(`${at}/issues`, { title: 'Hidden', confidential: true }))
      return `${at}/issues/${iid}`
    },
    acts: {
      ...changes,
      ...comments({}),
      'becomes open': ({ developer }, path) => developer.put(path, { title: 'Open', confidential: false }),
    },
  },
  'an internal comment on an issue': {
    make: async ({ developer, at }) =>
      `${at}/issues/${(await created(developer.post(`${at}/issues`, { title: 'Open' }))).iid}`,
    acts: comments({ internal: true }),
  },
  'an internal comment on a merge request': {
    make: async (p) => (await openMergeRequest(p, p.developer)).path,
    acts: comments({ internal: true }),
  },
}

describe.each(Object.entries(secrets))('%s', (_, { make, acts }) => {
  test('is told to the webhooks alone that ask for what is confidential, whatever happens', async () => {
    const p = await listened()
    const path = await make(p)
    await settled(own)
    const before = p.secret.received.length
    for (const [name, act] of Object.entries(acts)) {
      const { status } = await act(p, path)
      expect({ name, done: status < 300 }).toEqual({ name, done: true })
    }
    await settled(own)
    expect(p.open.received.map(({ text }) => text).join('\n')).not.toContain('Hidden')
    // The webhook of the project and that of its group.
    expect(p.secret.received.length - before).toBe(2 * Object.keys(acts).length)
  }, 120_000)
})

test('an open issue that becomes confidential shows in no webhook what it says then', async () => {
  const p = await listened()
  const { iid } = await created(p.developer.post(`${p.at}/issues`, { title: 'Open' }))
  await p.open.has(2)
  const hiding = { title: 'Hidden', confidential: true }
  expect((await p.developer.put(`${p.at}/issues/${iid}`, hiding)).status).toBe(200)
  await settled(own)
  expect(p.open.received.map(({ body }) => body.object_attributes.title)).toEqual(['Open', 'Open'])
})

test('epics, and what is said about them and about pages, are told to nobody', async () => {
  const p = await listened()
  const epics = `/groups/${p.groupId}/epics`
  const epic = await created(own.root.post(epics, { title: 'Hidden', confidential: true }))
  await created(own.root.post(`${epics}/${epic.id}/notes`, { body: 'Hidden' }))
  const page = await created(p.developer.post(`${p.at}/wikis`, { title: 'Page', content: 'Open' }))
  await p.open.has(2)
  const pages = `${p.at}/wiki_pages/${page.wiki_page_meta_id}`
  await created(p.developer.post(`${pages}/notes`, { body: 'Hidden' }))
  await settled(own)
  for (const { received } of [p.open, p.secret])
    expect(received.map(({ body }) => body.object_kind)).toEqual(['wiki_page', 'wiki_page'])
})

test('no payload has an address that its owner does not show, nor what lets somebody in', async () => {
  const p = await listened()
  const ofInstance = await receiver()
  const hook = await created(
    own.root.post('/hooks', { ...all('system'), url: ofInstance.url, token: 'hush' }),
  )
  const username = unique('newcomer')
  const account = { username, name: username, email: `${username}@example.com`, skip_confirmation: true }
  const password = 'correct horse battery staple'
  const commit = {
    branch: 'main',
    commit_message: 'Change',
    author_name: 'Author',
    author_email: 'author@git.example.org',
    actions: [{ action: 'create', file_path: 'new.txt', content: 'new' }],
  }
  const { id: userId } = await created(own.root.post('/users', { ...account, password }))
  const acts: readonly (() => Promise<Answer>)[] = [
    () => p.developer.post(`${p.at}/issues`, { title: 'One', assignee_ids: [p.maintainer.id] }),
    () => p.developer.post(`${p.at}/milestones`, { title: 'v1' }),
    () => p.developer.post(`${p.at}/wikis`, { title: 'Page', content: 'Open' }),
    () => p.developer.post(`${p.at}/environments`, { name: 'staging' }),
    () => p.owner.post(`${p.at}/members`, { user_id: userId, access_level: 30 }),
    () => own.root.post(`/groups/${p.groupId}/members`, { user_id: userId, access_level: 20 }),
    () => own.root.post(`${p.at}/access_tokens`, { name: 'robot', scopes: ['api'] }),
    () => p.owner.post(`${p.at}/repository/tags`, { tag_name: 'v1', ref: 'main', message: 'First' }),
  ]
  for (const act of acts) await created(act())
  await openMergeRequest(p, p.developer, {
    assignee_ids: [p.maintainer.id],
    reviewer_ids: [p.owner.id],
  })
  await created(p.developer.post(`${p.at}/issues/1/notes`, { body: 'Well' }))
  await created(p.developer.post(`${p.at}/issues/1/award_emoji`, { name: 'eyes' }))
  const deployment = { environment: 'staging', sha: 'main', ref: 'main', tag: false, status: 'running' }
  await created(p.developer.post(`${p.at}/deployments`, deployment))
  await created(p.owner.post(`${p.at}/repository/commits`, commit))
  await settled(own)
  expect((await own.root.delete(`/hooks/${hook.id}`)).status).toBe(204)
  const told = [...p.open.received, ...p.secret.received, ...ofInstance.received]
  const kinds = new Set(told.map(({ body }) => body.event_name ?? body.object_kind))
  const wanted = ['issue', 'note', 'merge_request', 'milestone', 'wiki_page', 'deployment', 'emoji', 'push']
  expect([...kinds]).toEqual(
    expect.arrayContaining([...wanted, 'tag_push', 'user_create', 'user_add_to_team', 'user_add_to_group']),
  )
  const text = told.map((one) => one.text).join('\n')
  expect(text).toContain('author@git.example.org')
  // Authors of commits have addresses that Git tells everybody.
  const people = [p.developer, p.maintainer, p.owner, own.root, { username }]
  const addresses = people.map((one) => `${one.username}@example.com`)
  for (const hidden of [...addresses, 'admin@example.com', 'glpat-', 'whsec_', 'hush', password])
    expect(text).not.toContain(hidden)
}, 120_000)

describe('a sample', () => {
  const send = (p: Listened, hook: number, trigger: Trigger) =>
    p.maintainer.post(`${p.at}/hooks/${hook}/test/${trigger}`)

  test('is made of nothing confidential, unless its event is', async () => {
    const p = await listened()
    const issue = await created(p.developer.post(`${p.at}/issues`, { title: 'Hidden', confidential: true }))
    const path = `${p.at}/issues/${issue.iid}`
    await created(p.developer.post(`${path}/notes`, { body: 'Hidden' }))
    await created(p.developer.post(`${path}/award_emoji`, { name: 'eyes' }))
    const request = await openMergeRequest(p, p.developer)
    const { id } = await created(
      p.developer.post(`${request.path}/notes`, { body: 'Hidden', internal: true }),
    )
    await created(p.owner.post(`${request.path}/notes/${id}/award_emoji`, { name: 'eyes' }))
    const server = await receiver()
    const hook = await created(p.maintainer.post(`${p.at}/hooks`, { url: server.url }))
    const statuses: Record<string, number> = {}
    for (const trigger of triggersOf.project.slice(4, 11)) {
      // Five samples a minute are the most that one user may send.
      await own.running.services.limits.forget()
      statuses[trigger] = (await send(p, hook.id, trigger)).status
    }
    expect(statuses).toMatchObject({
      issues_events: 422,
      note_events: 422,
      emoji_events: 422,
      confidential_issues_events: 201,
      confidential_note_events: 201,
    })
    expect(server.received.map(({ headers }) => headers['x-gitlab-event'])).toEqual([
      'Confidential Issue Hook',
      'Confidential Note Hook',
    ])
  })
})

describe.each(['project', 'group', 'system'] as const)('a webhook of a %s', (kind) => {
  test('keeps the choice of each event, also of those that nothing here causes', async () => {
    const p = kind === 'system' ? undefined : await own.project()
    const path =
      p === undefined ? '/hooks' : kind === 'group' ? `/groups/${p.groupId}/hooks` : `/projects/${p.id}/hooks`
    const names: readonly string[] = triggersOf[kind]
    const chosen = (hook: Readonly<Record<string, unknown>>) =>
      names.filter((name) => hook[name] === true).toSorted()
    const none = Object.fromEntries(names.map((name) => [name, false]))
    const made = await created(own.root.post(path, { url: 'http://127.0.0.1:9/', ...none }))
    expect(chosen(made)).toEqual([])
    for (const name of names) {
      const changed = await created(own.root.put(`${path}/${made.id}`, { ...none, [name]: true }))
      expect(chosen(changed)).toEqual([name])
    }
    const every = await created(own.root.put(`${path}/${made.id}`, all(kind)))
    expect(chosen(every)).toEqual(names.toSorted())
    expect(chosen(await created(own.root.get(`${path}/${made.id}`)))).toEqual(names.toSorted())
    expect((await own.root.delete(`${path}/${made.id}`)).status).toBe(204)
  })
})
