import { beforeAll, describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { createProject } from '#tenancy/projects/create-project.ts'
import { type Actor, type Place, unique, w } from '#test/world.ts'

/** Labels and milestones are open where issues or merge requests are, on every way to them. */

const access = ['enabled', 'private', 'disabled'] as const
type Access = (typeof access)[number]

interface Case {
  readonly issues: Access
  readonly mergeRequests: Access
  readonly id: number
  readonly label: string
  readonly milestoneId: number
}

let group: Place
let member: Actor
let cases: Case[]

beforeAll(async () => {
  group = await w.group({ visibility: 'public' })
  member = await w.user()
  cases = []
  for (const issues of access) {
    for (const mergeRequests of access) cases.push(await caseOf(issues, mergeRequests))
  }
})

async function caseOf(issues: Access, mergeRequests: Access): Promise<Case> {
  const path = unique('planned')
  const { id } = await w.write((tx) =>
    createProject(tx, { name: path, path, visibility: 'public', parentId: group.id }),
  )
  const { project_namespace_id } = await w.db
    .selectFrom('projects')
    .select('project_namespace_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await w.member(project_namespace_id, member, levels.guest)
  const label = unique('label')
  await w.root.post(`/projects/${id}/labels`, { name: label, color: 'red' })
  const { body } = await w.root.post(`/projects/${id}/milestones`, { title: unique('milestone') })
  await w.root.put(`/projects/${id}`, {
    issues_access_level: issues,
    merge_requests_access_level: mergeRequests,
  })
  return { issues, mergeRequests, id, label, milestoneId: body.id }
}

describe.each([
  ['a member', () => member, (level: Access) => level !== 'disabled', 403],
  ['a stranger', () => group.stranger, (level: Access) => level === 'enabled', 403],
  ['nobody', () => w.anonymous, (level: Access) => level === 'enabled', 401],
  ['an administrator', () => w.root, (level: Access) => level !== 'disabled', 403],
] as const)('%s', (_, by, sees, refusal) => {
  const isOpen = ({ issues, mergeRequests }: Case) => sees(issues) || sees(mergeRequests)

  test('reads labels and milestones of exactly the projects that are open to them', async () => {
    for (const one of cases) {
      const wanted = isOpen(one) ? 200 : refusal
      const paths = ['labels', `labels/${one.label}`, 'milestones', `milestones/${one.milestoneId}`]
      const found = await Promise.all(
        paths.map(async (path) => (await by().get(`/projects/${one.id}/${path}`)).status),
      )
      expect([one, found]).toEqual([one, [wanted, wanted, wanted, wanted]])
    }
  })

  test('finds the labels of the same projects through the group, in rows and totals', async () => {
    const { body, headers } = await by().get(`/groups/${group.id}/labels?only_group_labels=false&per_page=50`)
    const wanted = cases.filter(isOpen).map(({ label }) => label)
    expect(body.map(({ name }: { name: string }) => name).toSorted()).toEqual(wanted.toSorted())
    expect(headers.get('x-total')).toBe(String(wanted.length))
    for (const one of cases) {
      const path = `/groups/${group.id}/labels/${one.label}?only_group_labels=false`
      expect((await by().get(path)).status).toBe(isOpen(one) ? 200 : 404)
    }
  })
})

test('nobody changes what is closed, and it is there again when it is opened', async () => {
  const owner = await w.project()
  await owner.owner.post(`/projects/${owner.id}/labels`, { name: 'kept', color: 'red' })
  const both = (level: Access) => ({ issues_access_level: level, merge_requests_access_level: level })
  await owner.owner.put(`/projects/${owner.id}`, both('disabled'))
  const refused = [
    await owner.owner.post(`/projects/${owner.id}/labels`, { name: 'new', color: 'red' }),
    await owner.owner.post(`/projects/${owner.id}/milestones`, { title: 'new' }),
    await owner.owner.post(`/projects/${owner.id}/labels/kept/subscribe`),
    await owner.owner.put(`/projects/${owner.id}/labels/kept/promote`),
    await owner.owner.delete(`/projects/${owner.id}/labels/kept`),
  ]
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
  await owner.owner.put(`/projects/${owner.id}`, both('enabled'))
  expect((await owner.guest.get(`/projects/${owner.id}/labels/kept`)).status).toBe(200)
})
