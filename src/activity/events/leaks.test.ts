import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Client } from '#test/client.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { type Actor, w } from '#test/world.ts'

// Whoever can't read what an event is about finds it in no feed and in no total. What they can read, they are asked for.

type Made = Awaited<ReturnType<typeof make>>
/** An event's `action_name` and title, and the path of what it is about. */
type Told = readonly [title: string, path: string, ofMergeRequests?: 'merge requests']

const created = async (answer: Promise<Answer>) => {
  const { status, body, text } = await answer
  if (status >= 300) throw new Error(`${status}: ${text}`)
  return body
}

/** A project in which a developer has done one thing of each kind. */
async function make(visibility: 'private' | 'public') {
  const p = await branchedProject({ visibility })
  const { developer: by, id } = p
  const path = `/projects/${id}`
  const open = await created(by.post(`${path}/issues`, { title: 'Open' }))
  const secret = await created(by.post(`${path}/issues`, { title: 'Secret', confidential: true }))
  const notes = {
    open: await created(by.post(`${path}/issues/${open.iid}/notes`, { body: 'said' })),
    internal: await created(
      by.post(`${path}/issues/${open.iid}/notes`, { body: 'whispered', internal: true }),
    ),
    secret: await created(by.post(`${path}/issues/${secret.iid}/notes`, { body: 'said in secret' })),
  }
  await created(by.post(`${path}/repository/branches`, { branch: 'secrets', ref: 'main' }))
  const commits = `${path}/repository/commits`
  const { id: sha } = await created(by.get(`${commits}/main`))
  const thread = await created(by.post(`${commits}/${sha}/discussions`, { body: 'on a commit' }))
  const milestone = await created(by.post(`${path}/milestones`, { title: 'v1' }))
  const files = [{ file_path: 'a.txt', content: 'a' }]
  const snippet = { title: 'Private', visibility: 'private', files }
  const { id: snippetId } = await created(by.post(`${path}/snippets`, snippet))
  const internal = await created(
    by.post(`${path}/snippets`, { ...snippet, title: 'Internal', visibility: 'internal' }),
  )
  await created(by.post(`${path}/snippets/${snippetId}/notes`, { body: 'in a snippet' }))
  await created(by.post(`${path}/wikis`, { title: 'Home', content: 'Hello' }))
  const request = (await openMergeRequest(p, by)).body
  await created(by.post(`${path}/merge_requests/${request.iid}/notes`, { body: 'in a merge request' }))
  const told: Told[] = [
    ['opened Open', `/issues/${open.iid}`],
    ['opened Secret', `/issues/${secret.iid}`],
    ['said', `/issues/${open.iid}/notes/${notes.open.id}`],
    ['whispered', `/issues/${open.iid}/notes/${notes.internal.id}`],
    ['said in secret', `/issues/${secret.iid}/notes/${notes.secret.id}`],
    ['pushed new secrets', '/repository/branches/secrets'],
    ['on a commit', `/repository/commits/${sha}/discussions/${thread.id}`],
    ['opened v1', `/milestones/${milestone.id}`],
    ['opened Private', `/snippets/${snippetId}`],
    ['opened Internal', `/snippets/${internal.id}`],
    ['in a snippet', `/snippets/${snippetId}/notes`],
    ['created Home', '/wikis/Home'],
    ['opened Say it aloud', `/merge_requests/${request.iid}`, 'merge requests'],
    ['in a merge request', `/merge_requests/${request.iid}/notes`, 'merge requests'],
  ]
  return { ...p, projectPath: path, told }
}

let made: Readonly<Record<'private' | 'public', Made>>
beforeAll(async () => void (made = { private: await make('private'), public: await make('public') }))

/** What of an event tells what it is about. */
interface FeedEvent {
  readonly action_name: string
  readonly target_title: string | null
  readonly note?: { readonly body: string }
  readonly push_data?: { readonly ref: string | null }
}

/** What a feed tells, and its total. */
async function fed(by: Client, feed: string): Promise<[string[], number]> {
  const { status, body, headers } = await by.get(`${feed}${feed.includes('?') ? '&' : '?'}per_page=100`)
  if (status === 404) return [[], 0]
  expect(status).toBe(200)
  const titles: string[] = body.map(
    (event: FeedEvent) =>
      event.note?.body ?? `${event.action_name} ${event.push_data?.ref ?? event.target_title ?? ''}`,
  )
  return [titles.toSorted(), Number(headers.get('x-total'))]
}

/** What a caller may read of it, asked one by one. */
async function readable(by: Client, { projectPath, told }: Made): Promise<readonly Told[]> {
  const answers = await Promise.all(told.map(([, path]) => by.get(`${projectPath}${path}`)))
  return told.filter((_, index) => answers[index]?.status === 200)
}

const titlesOf = (told: readonly Told[]) => told.map(([title]) => title).toSorted()

async function expectSame(by: Actor, p: Made, isMember: boolean) {
  const all = await readable(by, p)
  const own = titlesOf(all.filter(([, , what]) => what !== 'merge requests'))
  const expected = {
    project: [titlesOf(all), all.length],
    author: [own, own.length],
    all: isMember ? [own, own.length] : [[], 0],
  }
  const feeds = {
    project: await fed(by, `${p.projectPath}/events`),
    author: await fed(by, `/users/${p.developer.id}/events`),
    all: await fed(by, '/events?scope=all'),
  }
  expect(feeds).toEqual(expected)
  const byKeys = async () => {
    const { body } = await by.get(`${p.projectPath}/events?pagination=keyset&per_page=100&sort=asc`)
    return Array.isArray(body) ? body.length : 0
  }
  // Pages by keys wait for transactions that began before, also for those of other tests.
  await expect.poll(byKeys, { timeout: 60_000 }).toBe(all.length)
}

const members = ['guest', 'planner', 'reporter', 'securityManager', 'developer', 'owner'] as const

describe.each(['private', 'public'] as const)('in a %s project', (visibility) => {
  test.each(members)('a %s finds what they can read', async (role) => {
    await expectSame(made[visibility][role], made[visibility], true)
  })

  test('a stranger finds what they can read', async () => {
    await expectSame(made[visibility].stranger, made[visibility], false)
  })

  test('an external user finds what they can read', async () => {
    await expectSame(await w.user({ external: true }), made[visibility], false)
  })
})

test('the numbers differ between roles, so the oracle above says something', async () => {
  const counts = async (p: Made, roles: readonly (keyof Made & ('stranger' | (typeof members)[number]))[]) =>
    Promise.all(roles.map(async (role) => (await fed(p[role], `${p.projectPath}/events`))[1]))
  expect(await counts(made.private, ['stranger', 'guest', 'planner', 'reporter'])).toEqual([0, 7, 10, 14])
  expect(await counts(made.public, ['stranger', 'guest', 'planner'])).toEqual([9, 11, 14])
})

test.each(['disabled', 'private'])('project features that are %s hide their events', async (level) => {
  const p = made.public
  const features = ['issues', 'merge_requests', 'repository', 'snippets', 'wiki']
  try {
    for (const feature of features) {
      await created(p.owner.put(p.projectPath, { [`${feature}_access_level`]: level }))
      await expectSame(p.stranger, p, false)
      await expectSame(p.reporter, p, true)
      if (feature === 'issues') continue
      await created(p.owner.put(p.projectPath, { [`${feature}_access_level`]: 'enabled' }))
    }
    expect((await fed(p.stranger, `/users/${p.developer.id}/events`))[1]).toBe(5)
  } finally {
    for (const feature of features)
      await created(p.owner.put(p.projectPath, { [`${feature}_access_level`]: 'enabled' }))
  }
})

test('a private profile hides the events of its user from everybody but them and administrators', async () => {
  const p = made.public
  const feed = `/users/${p.developer.id}/events`
  await created(w.root.put(`/users/${p.developer.id}`, { private_profile: true }))
  expect(await fed(p.maintainer, feed)).toEqual([[], 0])
  for (const by of [p.developer, w.root]) expect((await fed(by, feed))[1]).toBeGreaterThan(0)
  await created(w.root.put(`/users/${p.developer.id}`, { private_profile: false }))
  expect((await fed(p.maintainer, feed))[1]).toBeGreaterThan(0)
})

test('what is deleted, or becomes confidential, leaves the feeds with its comments', async () => {
  const p = await w.project({ visibility: 'public' })
  const path = `/projects/${p.id}`
  const issue = await created(p.developer.post(`${path}/issues`, { title: 'Here' }))
  await created(p.developer.post(`${path}/issues/${issue.iid}/notes`, { body: 'today' }))
  const seen = () => fed(p.guest, `/users/${p.developer.id}/events`)
  expect(await seen()).toEqual([['opened Here', 'today'], 2])
  await created(p.developer.put(`${path}/issues/${issue.iid}`, { confidential: true }))
  expect(await seen()).toEqual([[], 0])
  await created(p.developer.put(`${path}/issues/${issue.iid}`, { confidential: false }))
  expect((await seen())[1]).toBe(2)
  expect((await p.owner.delete(`${path}/issues/${issue.iid}`)).status).toBe(204)
  expect(await seen()).toEqual([[], 0])
})

test('a project that becomes private takes its events out of the feeds of strangers', async () => {
  const p = made.public
  const before = await fed(p.stranger, `/users/${p.developer.id}/events`)
  expect(before[1]).toBeGreaterThan(0)
  await w.db
    .updateTable('namespaces')
    .set({ visibility: 'private' })
    .where('id', '=', p.namespaceId)
    .execute()
  expect(await fed(p.stranger, `/users/${p.developer.id}/events`)).toEqual([[], 0])
  await w.db.updateTable('namespaces').set({ visibility: 'public' }).where('id', '=', p.namespaceId).execute()
})
