import { describe, expect, test } from 'vitest'
import type { DeclaredRoute } from '#platform/http/declared-routes.ts'
import { unique, w } from '#test/world.ts'

// However many values a request gives, PostgreSQL is sent the same texts: each new one would be parsed and planned
// anew, and kept.

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** A list of a route: the names that lead to it, and what it is of. */
function listsIn(schema: Schema, path = ''): { name: string; items: Schema; most: number }[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const full = path === '' ? name : `${path}[${name}]`
    if (property.properties !== undefined) return listsIn(property, full)
    const isList = [property.type].flat().includes('array')
    return isList ? [{ name: full, items: property.items ?? {}, most: property.maxItems ?? 0 }] : []
  })
}

const lists = w.running.app.declaredRoutes.flatMap((route) => {
  if (route.method !== 'GET' || !route.url.startsWith('/api/v4')) return []
  // Names of branches and files are for Git alone.
  if (route.url.includes('/repository/')) return []
  return listsIn((route.schema.querystring ?? {}) as Schema).map((list) => ({ route, ...list }))
})

/** The parameters without which a route refuses a request. */
function required({ schema }: DeclaredRoute): string[] {
  const { properties = {}, required: names = [] } = (schema.querystring ?? {}) as Schema
  return names.flatMap((name) => {
    const property = properties[name]
    const known = property !== undefined && !('default' in property)
    const [value = 'word'] = property?.enum?.filter((one) => typeof one === 'string') ?? []
    return known ? `${name}=${value}` : []
  })
}

/** Nothing has such a number: with more of them a list does not find more rows, whatever other tests have made. */
const FAR = 2_000_000_000

/** Values of a list; the same count has the same values. */
function values(items: Schema, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    if (items.enum !== undefined) return String(items.enum[index % items.enum.length])
    return [items.type].flat().includes('integer') ? String(FAR + index) : `value-${index}`
  })
}

const textsOf = async (work: () => Promise<unknown>) => [...new Set(await w.statements(work))].toSorted()

describe('the texts of statements do not depend on how many values a list filter has', () => {
  test.each(lists.map((list) => [`${list.route.url}?${list.name}`, list] as const))(
    '%s',
    async (_, { route, name, items, most }) => {
      const here = await place()
      const licensed = (work: () => Promise<void>) =>
        route.access.tier === undefined ? work() : w.onPlan('ultimate', work)
      const ask = (count: number) => async () => {
        const query = values(items, count).map((value) => `${encodeURIComponent(`${name}[]`)}=${value}`)
        const { status } = await w.root.get(
          `${pathOf(route, here)}?${[...required(route), ...query].join('&')}`,
        )
        expect(status).toBe(200)
      }
      await licensed(async () => {
        const texts = await textsOf(ask(2))
        expect(texts.length).toBeGreaterThan(0)
        // More values find the same or fewer rows, and a page without a row may take fewer statements.
        for (const count of [3, 7, Math.min(most, 50)]) {
          expect(texts).toEqual(expect.arrayContaining(await textsOf(ask(count))))
        }
      })
    },
  )

  test('nor on how many words are searched for', async () => {
    const { project } = await place()
    for (const path of [
      `/projects/${project}/milestones?search_title=`,
      `/projects/${project}/issues?search=`,
      '/users?search=',
      '/projects?search=',
    ]) {
      const ask = (count: number) => () => w.root.get(path + values({}, count).join('+').slice(0, 255))
      const texts = await textsOf(ask(1))
      for (const count of [2, 9, 40]) expect(await textsOf(ask(count))).toEqual(texts)
    }
  })
})

describe('the texts of statements do not depend on how many values are written', () => {
  type Write = () => Promise<{ status: number }>
  const writes: [string, (count: number, here: Here) => Write | Promise<Write>][] = [
    [
      'labels of a new issue',
      (count, { project }) =>
        () =>
          w.root.post(`/projects/${project}/issues`, { title: 'x', labels: fresh(count) }),
    ],
    [
      'labels of an issue',
      (count, { project, issue }) =>
        () =>
          w.root.put(`/projects/${project}/issues/${issue}`, { labels: fresh(count) }),
    ],
    [
      'people of a new issue',
      async (count, { project, namespaceId }) => {
        const assignee_ids = await users(count)
        for (const id of assignee_ids) await w.member(namespaceId, { id }, 20)
        return () => w.root.post(`/projects/${project}/issues`, { title: 'x', assignee_ids })
      },
    ],
    [
      'topics of a project',
      (count, { project }) =>
        () =>
          w.root.put(`/projects/${project}`, { topics: fresh(count) }),
    ],
    [
      'new members',
      async (count, { project }) => {
        const user_id = await users(count)
        return () => w.root.post(`/projects/${project}/members`, { user_id, access_level: 20 })
      },
    ],
    [
      'names in a note',
      (count, { project, issue }) => {
        const body = values({}, count)
          .map((name, n) => `#${1_000 + n} @${name} ~${name} %${name}`)
          .join(' ')
        return () => w.root.post(`/projects/${project}/issues/${issue}/notes`, { body })
      },
    ],
  ]

  test.each(writes)('%s', async (_, prepare) => {
    const here = await place()
    const texts = async (count: number) => {
      const write = await prepare(count, here)
      return textsOf(async () => expect((await write()).status).toBeLessThan(300))
    }
    // The first one finds the place as no other does.
    await texts(2)
    const known = await texts(2)
    for (const count of [3, 8, 20]) expect(await texts(count)).toEqual(known)
  })
})

const fresh = (count: number) => Array.from({ length: count }, () => unique('name'))

/** The ids of new people. */
async function users(count: number): Promise<number[]> {
  const made = await Promise.all(Array.from({ length: count }, () => w.user()))
  return made.map(({ id }) => id)
}

interface Here {
  readonly project: number
  readonly namespaceId: number
  readonly group: number
  readonly issue: number
  readonly deployment: number
  readonly pipeline: number
}

let made: Here | undefined

/** What paths name. */
async function place(): Promise<Here> {
  if (made !== undefined) return made
  const { id: project, namespaceId, groupId: group } = await w.project()
  // Whoever asks has an issue with the first of all numbers, so that two numbers find a row as well as three.
  const { body } = await w.root.post(`/projects/${project}/issues`, { title: 'x' })
  return (made = {
    project,
    namespaceId,
    group,
    issue: body.iid,
    deployment: await insertDeployment(project),
    pipeline: await insertPipeline(project),
  })
}

async function insertDeployment(project_id: number): Promise<number> {
  const at = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' }
  const environment = await w.db
    .insertInto('environments')
    .values({ project_id, name: 'x', slug: 'x', tier: 'other', ...at })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id } = await w.db
    .insertInto('deployments')
    .values({
      project_id,
      environment_id: environment.id,
      iid: 1,
      sha: 'a'.repeat(40),
      ref: 'main',
      tag: false,
      status: 'success',
      ...at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function insertPipeline(project_id: number): Promise<number> {
  const at = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' }
  const sha = 'a'.repeat(40)
  const what = {
    iid: 1,
    source: 'api',
    status: 'success',
    ref: 'main',
    tag: false,
    protected: false,
  } as const
  const { id } = await w.db
    .insertInto('pipelines')
    .values({ project_id, ...what, sha, before_sha: sha, ...at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

function pathOf({ url }: DeclaredRoute, { project, group, issue, deployment, pipeline }: Here): string {
  const id = url.includes('/groups/:id') ? group : project
  return url
    .replace('/api/v4', '')
    .replace('/users/:user_id', '/users/1')
    .replace(':issue_iid', String(issue))
    .replace(':deployment_id', String(deployment))
    .replace(':pipeline_id', String(pipeline))
    .replace(':id', String(id))
}
