import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { DEFAULT_ORGANIZATION, findOrganization } from './queries.ts'

const unknown = 999_999_999

/** Another organization, which no request can make yet. */
async function another(): Promise<number> {
  const path = unique('organization')
  const { id } = await w.db
    .insertInto('organizations')
    .values({ name: path, path })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const newGroup = (more: object = {}) => ({ name: 'Smiths', path: unique('smiths'), ...more })

describe('an organization', () => {
  test('is there from the first start, as number 1', async () => {
    expect(await findOrganization(w.db, DEFAULT_ORGANIZATION)).toEqual({
      id: 1,
      name: 'Default',
      path: 'default',
    })
    await expect(findOrganization(w.db, unknown)).rejects.toMatchObject({
      kind: 'not found',
      says: '404 Organization Not Found',
    })
  })

  test('is what a group belongs to: the default one, or the one that was named', async () => {
    const organization_id = await another()
    const { body: plain } = await w.root.post('/groups', newGroup())
    const { status, body } = await w.root.post('/groups', newGroup({ organization_id }))
    expect([plain.organization_id, status, body.organization_id]).toEqual([1, 201, organization_id])
    expect((await w.root.get(`/groups/${body.id}`)).body.organization_id).toBe(organization_id)
    const { body: listed } = await w.root.get(`/groups?search=${body.path}`)
    expect(listed).toMatchObject([{ id: body.id, organization_id }])
  })

  test('is refused when nobody knows it', async () => {
    for (const organization_id of [unknown, 0, -1]) {
      expect(await w.root.post('/groups', newGroup({ organization_id }))).toMatchObject({
        status: 404,
        body: { message: '404 Organization Not Found' },
      })
    }
    const wrong = await w.root.post('/groups', newGroup({ organization_id: 'default' }))
    expect([wrong.status, wrong.body.error]).toEqual([400, 'organization_id is invalid'])
  })

  test('is the same for everything below a group', async () => {
    const organization_id = await another()
    const { body: above } = await w.root.post('/groups', newGroup({ organization_id }))
    const { body: below } = await w.root.post('/groups', newGroup({ parent_id: above.id }))
    expect(below.organization_id).toBe(organization_id)
    const named = newGroup({ parent_id: above.id, organization_id })
    expect((await w.root.post('/groups', named)).body.organization_id).toBe(organization_id)
    const { body: project } = await w.root.post('/projects', { name: 'App', namespace_id: below.id })
    const row = await w.db
      .selectFrom('namespaces')
      .select('organization_id')
      .where('full_path', '=', project.path_with_namespace)
      .executeTakeFirst()
    expect(row).toEqual({ organization_id })
    expect(await w.root.post('/groups', newGroup({ parent_id: above.id, organization_id: 1 }))).toMatchObject(
      {
        status: 400,
        body: { message: 'Failed to save group {:organization_id=>["must be that of the parent"]}' },
      },
    )
  })

  test('is never left by moving', async () => {
    const { body: here } = await w.root.post('/groups', newGroup())
    const { body: there } = await w.root.post('/groups', newGroup({ organization_id: await another() }))
    expect(await w.root.post(`/groups/${here.id}/transfer`, { group_id: there.id })).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - the new place is in another organization' },
    })
    const { body: project } = await w.root.post('/projects', { name: 'App', namespace_id: here.id })
    const moved = await w.root.put(`/projects/${project.id}/transfer`, { namespace: there.id })
    expect([moved.status, moved.body.message]).toEqual([
      400,
      '400 Bad request - the new place is in another organization',
    ])
  })

  test('is what a new user belongs to, for good', async () => {
    const organization_id = await another()
    const username = unique('citizen')
    const account = { name: 'C', username, email: `${username}@example.com`, force_random_password: true }
    const { status, body } = await w.root.post('/users', { ...account, organization_id })
    const row = await w.db
      .selectFrom('namespaces')
      .select('organization_id')
      .where('owner_id', '=', body.id)
      .executeTakeFirst()
    expect([status, row]).toEqual([201, { organization_id }])
    const change = async (id: number) =>
      (await w.root.put(`/users/${body.id}`, { organization_id: id })).status
    expect([await change(organization_id), await change(1), await change(unknown)]).toEqual([200, 400, 404])
    expect((await w.root.post('/users', { ...account, organization_id: unknown })).status).toBe(404)
  })
})
