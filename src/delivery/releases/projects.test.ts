import { expect, test } from 'vitest'
import { endOfImport, exportOf, importOf } from '#test/archives.ts'
import { branchedProject } from '#test/merge-requests.ts'
import { until } from '#test/until.ts'
import { unique, w } from '#test/world.ts'

// What becomes of releases when something happens to their project.

async function released() {
  const p = await branchedProject()
  const base = `/projects/${p.id}`
  await w.memberAtLeast(p.groupId, p.owner, 50)
  await p.owner.post(`${base}/milestones`, { title: '1.0' })
  const { status, body } = await p.developer.post(`${base}/releases`, {
    tag_name: 'v1',
    ref: 'main',
    name: 'One',
    description: 'What is new',
    milestones: ['1.0'],
    released_at: '2020-01-01T00:00:00Z',
    assets: { links: [{ name: 'tool', url: 'https://example.org/tool', direct_asset_path: '/tool' }] },
  })
  expect(status).toBe(201)
  return { ...p, base, release: body }
}

test('an archive has the releases, and an import makes them again', async () => {
  const { id, owner, release } = await released()
  const made = await importOf(owner, await exportOf(owner, id))
  expect(await endOfImport(owner, made)).toMatchObject({ import_status: 'finished' })
  const { body } = await owner.get(`/projects/${made.body.id}/releases/v1`)
  expect(body).toMatchObject({
    name: 'One',
    description: 'What is new',
    released_at: release.released_at,
    created_at: release.created_at,
    author: { id: owner.id },
    commit: { id: release.commit.id },
    milestones: [{ title: '1.0' }],
    assets: { links: [{ name: 'tool', url: 'https://example.org/tool', link_type: 'other' }] },
    evidences: [],
  })
  expect(body.assets.links[0].direct_asset_url).toMatch(/\/-\/releases\/v1\/downloads\/tool$/)
})

test('a transfer takes them along with their addresses, a fork has none, and an archived project keeps them', async () => {
  const { base, owner } = await released()
  const fork = await owner.post(`${base}/fork`, { path: unique('fork'), name: unique('Fork') })
  expect(fork.status).toBe(201)
  await until(async () =>
    expect((await owner.get(`/projects/${fork.body.id}`)).body.import_status).toBe('finished'),
  )
  expect((await owner.get(`/projects/${fork.body.id}/repository/tags/v1`)).body.release).toBeNull()
  expect((await owner.get(`/projects/${fork.body.id}/releases`)).body).toEqual([])

  const group = await w.group()
  await w.memberAtLeast(group.id, owner, 50)
  expect((await owner.put(`${base}/transfer`, { namespace: group.id })).status).toBe(200)
  const { body } = await owner.get(`${base}/releases/v1`)
  expect(body).toMatchObject({ _links: { self: expect.stringContaining(`/${group.fullPath}/`) } })
  expect((await owner.get(`/groups/${group.id}/releases`)).body).toEqual([body])

  expect((await owner.post(`${base}/archive`)).status).toBe(201)
  expect((await owner.get(`${base}/releases/v1`)).status).toBe(200)
  expect((await owner.put(`${base}/releases/v1`, { name: 'Two' })).status).toBe(403)
})

test('they go with their project', async () => {
  const { id, base, owner } = await released()
  expect((await owner.delete(base)).status).toBe(202)
  const left = () => w.db.selectFrom('releases').select('id').where('project_id', '=', id).execute()
  await until(async () => expect(await left()).toEqual([]))
})
