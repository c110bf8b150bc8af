import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { Remote } from '#test/remote.ts'
import { publishPython } from '#registries/package-formats/pypi/test-support.ts'
import { deployToken } from '#registries/packages/test-support.ts'
import { type Actor, type Place, unique, w } from '#test/world.ts'

/** Groups that take requests from some addresses only (`ip_restriction_ranges`). */

const INSIDE = '10.1.2.3'
const OUTSIDE = '203.0.113.7'

type Project = Place & { readonly groupId: number; readonly namespaceId: number }

let top: Place
let inner: Place
let project: Project
/** A group above that anybody reaches. */
let above: Place

beforeAll(async () => {
  above = await w.group({ visibility: 'public' })
  top = await w.group({ visibility: 'public', parent: above.id })
  inner = await w.group({ visibility: 'public', parent: top.id })
  project = await w.project({ visibility: 'public', parent: inner.id })
  await top.owner.post(`/groups/${top.id}/labels`, { name: 'restricted', color: 'red' })
  await project.owner.post(`/projects/${project.id}/issues`, { title: 'An issue' })
  await top.owner.put(`/groups/${top.id}`, { ip_restriction_ranges: ' 10.0.0.0/8, 2001:DB8::/32' })
})

// The statements of other tests' requests should not carry these groups along.
afterAll(async () => {
  await w.db
    .updateTable('namespaces')
    .set({ settings: sql`settings - 'ip_restriction_ranges'` })
    .where(sql<boolean>`settings ? 'ip_restriction_ranges'`)
    .execute()
  await w.running.services.addressRules.reload()
})

const at = (actor: { base: string; headers: Readonly<Record<string, string>> }, ip: string) =>
  new Remote(w.anonymous.with(actor.headers), ip)

const idsOf = (body: { id: number }[]) => body.map(({ id }) => id)

/** Every way to these places: a path, and the ids of what a list there should show. */
const places = (): [string, string][] => [
  [`/groups/${top.id}`, '404 Group Not Found'],
  [`/groups/${encodeURIComponent(top.fullPath)}`, '404 Group Not Found'],
  [`/groups/${inner.id}/labels`, '404 Group Not Found'],
  [`/groups/${inner.id}/members`, '404 Group Not Found'],
  [`/projects/${project.id}`, '404 Project Not Found'],
  [`/projects/${project.encoded}/issues`, '404 Project Not Found'],
  [`/projects/${project.id}/issues/1/notes`, '404 Project Not Found'],
  [`/namespaces/${top.id}`, '404 Namespace Not Found'],
]

const lists = (): [string, () => number][] => [
  [`/groups/${above.id}/descendant_groups?per_page=100`, () => inner.id],
  [`/groups/${above.id}/projects?include_subgroups=true`, () => project.id],
  [`/projects?search=${project.fullPath.split('/').at(-1)}`, () => project.id],
  [`/groups?search=${inner.fullPath.split('/').at(-1)}`, () => inner.id],
]

describe.each([
  ['a member', (): Actor => project.maintainer],
  ['a stranger', (): Actor => project.stranger],
])('%s', (_, who) => {
  test('finds everything at an address inside of the ranges', async () => {
    const client = at(who(), INSIDE)
    for (const [path] of places().slice(0, 6))
      expect([path, (await client.get(path)).status]).toEqual([path, 200])
    for (const [path, id] of lists()) expect(idsOf((await client.get(path)).body)).toContain(id())
  })

  test('finds nothing at another address, and nothing tells that it is there', async () => {
    const client = at(who(), OUTSIDE)
    for (const [path, message] of places()) {
      const { status, body } = await client.get(path)
      expect([path, status, body]).toEqual([path, 404, { message }])
    }
    for (const [path, id] of lists()) {
      const { body, headers } = await client.get(path)
      expect(idsOf(body)).not.toContain(id())
      expect(headers.get('x-total')).toBe(String(body.length))
    }
    const issues = await client.get(`/issues?scope=all&search=An issue&project_id=${project.id}`)
    expect(issues.body.map((issue: { project_id: number }) => issue.project_id)).not.toContain(project.id)
  })
})

test('an anonymous caller finds a public group at its addresses alone, also of IPv6', async () => {
  for (const ip of [INSIDE, '2001:db8::5', '::ffff:10.0.0.1']) {
    expect((await new Remote(w.anonymous, ip).get(`/projects/${project.id}`)).status).toBe(200)
  }
  for (const ip of [OUTSIDE, '2001:db9::5', '::ffff:203.0.113.7']) {
    expect((await new Remote(w.anonymous, ip).get(`/projects/${project.id}`)).status).toBe(404)
  }
})

test('members find the group among their namespaces at its addresses alone', async () => {
  const path = `/namespaces?search=${top.fullPath.split('/').at(-1)}`
  expect(idsOf((await at(top.maintainer, INSIDE).get(path)).body)).toEqual([top.id])
  const { body, headers } = await at(top.maintainer, OUTSIDE).get(path)
  expect({ body, total: headers.get('x-total') }).toEqual({ body: [], total: '0' })
})

test('topics count what can be seen from the address alone', async () => {
  const topic = unique('topic')
  const hidden = await w.project({ visibility: 'private', parent: top.id })
  for (const { id } of [project, hidden]) await w.root.put(`/projects/${id}`, { topics: [topic] })
  const member = await w.user()
  for (const { namespaceId } of [project, hidden]) await w.member(namespaceId, member, 30)
  const counted = async (client: Remote) =>
    (await client.get(`/topics?search=${topic}`)).body.map(
      ({ total_projects_count }: { total_projects_count: number }) => total_projects_count,
    )
  expect(await counted(at(member, INSIDE))).toEqual([2])
  expect(await counted(at(project.stranger, INSIDE))).toEqual([1])
  const outside = [at(member, OUTSIDE), at(project.stranger, OUTSIDE), new Remote(w.anonymous, OUTSIDE)]
  for (const client of outside) expect(await counted(client)).toEqual([])
  await w.root.delete(`/projects/${hidden.id}`)
})

test('nobody writes from another address', async () => {
  const client = at(project.owner, OUTSIDE)
  const refused = [
    await client.post(`/projects/${project.id}/labels`, { name: unique('label'), color: 'red' }),
    await client.post(`/projects/${project.id}/issues`, { title: 'From outside' }),
    await client.delete(`/projects/${project.id}`),
    await at(inner.maintainer, OUTSIDE).post('/projects', { name: unique('made'), namespace_id: inner.id }),
  ]
  for (const { status } of refused.slice(0, 3)) expect(status).toBe(404)
  expect([400, 404]).toContain(refused[3]?.status)
})

test('tokens of the project and OAuth alike are held to the addresses', async () => {
  const made = await project.owner.post(`/projects/${project.id}/access_tokens`, {
    name: 'bot',
    scopes: ['api'],
    access_level: 40,
  })
  // The owner's own request comes from this machine, which is outside of the ranges, too.
  expect(made.status).toBe(404)
  const owner = at(project.owner, INSIDE)
  const { body } = await owner.post(`/projects/${project.id}/access_tokens`, {
    name: 'bot',
    scopes: ['api'],
    access_level: 40,
  })
  const bot = w.anonymous.with({ 'private-token': body.token })
  expect((await new Remote(bot, INSIDE).get(`/projects/${project.id}`)).status).toBe(200)
  expect((await new Remote(bot, OUTSIDE).get(`/projects/${project.id}`)).status).toBe(404)
  expect((await new Remote(bot, OUTSIDE).get('/personal_access_tokens/self/associations')).body).toEqual({
    groups: [],
    projects: [],
  })
})

test('owners get into their groups from anywhere, to change the ranges, and not into projects', async () => {
  const owner = at(top.owner, OUTSIDE)
  expect((await owner.get(`/groups/${top.id}`)).body.ip_restriction_ranges).toBe('10.0.0.0/8,2001:db8::/32')
  expect((await owner.get(`/groups/${inner.id}`)).status).toBe(200)
  expect((await owner.get(`/projects/${project.id}`)).status).toBe(404)
  const groups = await owner.get(`/groups/${above.id}/descendant_groups`)
  expect(idsOf(groups.body)).toEqual(expect.arrayContaining([top.id, inner.id]))
  expect((await owner.get(`/groups/${top.id}/projects?include_subgroups=true`)).body).toEqual([])
  expect((await at(inner.owner, OUTSIDE).get(`/groups/${top.id}`)).status).toBe(404)
})

test('administrators get in from anywhere; acting by sudo they are held to the addresses', async () => {
  const root = at(w.root, OUTSIDE)
  expect((await root.get(`/projects/${project.id}`)).status).toBe(200)
  expect(idsOf((await root.get(`/groups/${top.id}/projects?include_subgroups=true`)).body)).toEqual([
    project.id,
  ])
  const sudo = await root.get(`/projects/${project.id}`, { headers: { sudo: project.owner.username } })
  expect(sudo.status).toBe(404)
})

test('a deploy token of a group above finds no packages there from elsewhere', async () => {
  await publishPython(w.root, project)
  const { token } = await deployToken(above, 'group', 'read_package_registry')
  const machine = w.anonymous.with({ 'deploy-token': token })
  const index = `/groups/${above.id}/-/packages/pypi/simple`
  expect((await new Remote(machine, INSIDE).get(index)).text).toContain('my-tool')
  expect((await new Remote(machine, OUTSIDE).get(index)).text).not.toContain('my-tool')
})

test('a change counts at once, here and on other nodes, and blank ranges open the group again', async () => {
  const group = await w.group({ visibility: 'public' })
  const node = await w.another()
  try {
    const there = new Remote(new Client(node.url), OUTSIDE)
    const seen = async () => (await there.get(`/groups/${group.id}`)).status
    expect(await seen()).toBe(200)
    expect((await group.owner.put(`/groups/${group.id}`, { ip_restriction_ranges: INSIDE })).status).toBe(200)
    expect((await new Remote(w.anonymous, OUTSIDE).get(`/groups/${group.id}`)).status).toBe(404)
    await expect.poll(seen).toBe(404)
    const opened = await group.owner.put(`/groups/${group.id}`, { ip_restriction_ranges: ' ' })
    expect(opened.body.ip_restriction_ranges).toBeNull()
    expect((await new Remote(w.anonymous, OUTSIDE).get(`/groups/${group.id}`)).status).toBe(200)
    await expect.poll(seen).toBe(200)
  } finally {
    await node.stop()
  }
})

test('a new group has its ranges from the beginning', async () => {
  const user = await w.user()
  const path = unique('closed')
  const { status, body } = await user.post('/groups', {
    name: path,
    path,
    visibility: 'public',
    ip_restriction_ranges: INSIDE,
  })
  expect([status, body.ip_restriction_ranges]).toEqual([201, INSIDE])
  expect((await new Remote(w.anonymous, OUTSIDE).get(`/groups/${body.id}`)).status).toBe(404)
  expect((await new Remote(w.anonymous, INSIDE).get(`/groups/${body.id}`)).status).toBe(200)
})

test.each(['10.0.0.0/33', 'everywhere', '10.0.0.0/8, ::/129', '10.1', '10.0.0.0-10.0.0.9'])(
  'refuses %s, and keeps the ranges that there were',
  async (ranges) => {
    const { body, status } = await top.owner.put(`/groups/${top.id}`, { ip_restriction_ranges: ranges })
    expect(status).toBe(400)
    expect(body.message.ip_restriction_ranges[0]).toMatch(/^has ".+", which is not an address or a range/)
    expect((await top.owner.get(`/groups/${top.id}`)).body.ip_restriction_ranges).toBe(
      '10.0.0.0/8,2001:db8::/32',
    )
  },
)

test('who is closed out of nothing pays nothing: the statements say nothing of addresses', async () => {
  const statement = async (ip: string) =>
    (await w.statements(() => new Remote(w.anonymous, ip).get('/projects'))).join()
  expect(w.running.services.addressRules.closedTo(INSIDE)).toEqual([])
  expect(await statement(INSIDE)).not.toContain('&&')
  expect(await statement(OUTSIDE)).toContain('&&')
})
