import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { digestOf, OCI_MANIFEST } from '#test/fake-registry.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { matchesWildcards } from '../protection/minimum-levels.ts'
import { imageOf, withImages } from './test-support.ts'

const rulesOf = ({ id }: { readonly id: number }, kind: 'repository' | 'tag') =>
  `/projects/${id}/registry/protection/${kind}/rules`

describe('rules about repositories', () => {
  test('are made, changed and deleted by Maintainers', async () => {
    const { project, name } = await withImages()
    const path = rulesOf(project, 'repository')
    const rule = { repository_path_pattern: `${name}/prod*`, minimum_access_level_for_push: 'maintainer' }
    expect((await project.developer.post(path, rule)).status).toBe(403)
    const { status, body } = await project.maintainer.post(path, rule)
    expect([status, body]).toEqual([
      201,
      { id: expect.any(Number), project_id: project.id, ...rule, minimum_access_level_for_delete: null },
    ])
    expect((await project.maintainer.post(path, rule)).body.message).toEqual({
      repository_path_pattern: ['has already been taken'],
    })
    expect((await project.maintainer.get(path)).body).toEqual([body])
    const changed = await project.maintainer.patch(`${path}/${body.id}`, {
      minimum_access_level_for_push: '',
      minimum_access_level_for_delete: 'admin',
    })
    expect(changed.body).toMatchObject({
      minimum_access_level_for_push: null,
      minimum_access_level_for_delete: 'admin',
    })
    const none = { minimum_access_level_for_delete: null }
    expect((await project.maintainer.patch(`${path}/${body.id}`, none)).status).toBe(400)
    const elsewhere = { ...rule, repository_path_pattern: 'elsewhere/app' }
    expect((await project.maintainer.post(path, elsewhere)).status).toBe(400)
    expect((await project.maintainer.delete(`${path}/${body.id}`)).status).toBe(204)
    expect((await project.maintainer.delete(`${path}/${body.id}`)).body.message).toBe(
      '404 Protection Rule Not Found',
    )
  })

  test('keep those from pushing and deleting whose role is lower', async () => {
    const { project, name, developer, maintainer } = await withImages()
    await developer.image(`${name}/prod`, 'v1')
    await project.maintainer.post(rulesOf(project, 'repository'), {
      repository_path_pattern: `${name}/prod*`,
      minimum_access_level_for_push: 'maintainer',
      minimum_access_level_for_delete: 'owner',
    })
    const push = await developer.ask(`${name}/prod/blobs/uploads/`, { method: 'POST' })
    expect([push.status, push.code]).toEqual([403, 'DENIED'])
    await developer.image(`${name}/test`, 'v1')
    await maintainer.image(`${name}/prod`, 'v2')
    const remove = await maintainer.ask(`${name}/prod/manifests/v1`, { method: 'DELETE' })
    expect([remove.status, remove.code]).toEqual([403, 'DENIED'])
    const base = `/projects/${project.id}/registry/repositories`
    const { body } = await project.reporter.get(base)
    const prod = body.find((one: { name: string }) => one.name === 'prod').id
    expect((await project.maintainer.delete(`${base}/${prod}/tags/v1`)).status).toBe(403)
    expect((await project.maintainer.delete(`${base}/${prod}`)).status).toBe(403)
    const many = await project.maintainer.delete(`${base}/${prod}/tags?name_regex_delete=.*`)
    expect([many.status, many.body.message]).toEqual([403, expect.stringContaining('protection rule')])
    expect((await project.owner.delete(`${base}/${prod}/tags/v1`)).status).toBe(200)
  })
})

describe('rules about tags', () => {
  test('protect tags, or make them immutable', async () => {
    const { project, name, developer, maintainer } = await withImages()
    const path = rulesOf(project, 'tag')
    const both = { minimum_access_level_for_push: 'maintainer', minimum_access_level_for_delete: 'owner' }
    const made = await project.maintainer.post(path, { tag_name_pattern: '^prod', ...both })
    expect(made.body).toEqual({
      id: expect.any(Number),
      project_id: project.id,
      tag_name_pattern: '^prod',
      ...both,
    })
    const one = { tag_name_pattern: 'x', minimum_access_level_for_push: 'owner' }
    expect((await project.maintainer.post(path, one)).status).toBe(400)
    expect((await project.maintainer.post(path, { tag_name_pattern: '(' })).body.message).toEqual({
      tag_name_pattern: ['is invalid'],
    })
    const immutable = await project.maintainer.post(path, { tag_name_pattern: '^v[0-9]' })
    expect(immutable.status).toBe(201)
    expect((await project.maintainer.patch(`${path}/${immutable.body.id}`, both)).status).toBe(400)

    const { manifest } = await developer.image(name, 'v1')
    expect((await developer.manifest(name, 'prod', manifest)).code).toBe('DENIED')
    expect((await maintainer.manifest(name, 'prod', manifest)).status).toBe(201)
    // The same again changes nothing.
    expect((await maintainer.manifest(name, 'v1', manifest)).status).toBe(201)
    const other = await maintainer.image(name, 'other')
    expect((await maintainer.manifest(name, 'v1', other.manifest)).code).toBe('DENIED')
    const remove = (reference: string) =>
      maintainer.ask(`${name}/manifests/${reference}`, { method: 'DELETE' })
    expect([(await remove('v1')).code, (await remove('prod')).code]).toEqual(['DENIED', 'DENIED'])

    const base = `/projects/${project.id}/registry/repositories`
    const { body } = await project.reporter.get(base)
    const tags = `${base}/${body[0].id}/tags`
    expect((await project.owner.delete(`${tags}/v1`)).status).toBe(403)
    expect((await project.owner.delete(`${base}/${body[0].id}`)).status).toBe(403)
    await project.maintainer.delete(`${tags}?name_regex_delete=.*`)
    await until(async () => {
      const { body: left } = await project.reporter.get(tags)
      expect(left.map((tag: { name: string }) => tag.name)).toEqual(['prod', 'v1'])
    })
    const changed = await project.maintainer.patch(`${path}/${made.body.id}`, { tag_name_pattern: 'p' })
    expect(changed.body.tag_name_pattern).toBe('p')
    expect((await project.maintainer.get(path)).body).toHaveLength(2)
    expect((await project.owner.delete(`${tags}/prod`)).status).toBe(200)
    expect((await project.maintainer.delete(`${path}/${immutable.body.id}`)).status).toBe(204)
    expect((await remove('v1')).status).toBe(202)
  })

  test('let one of those alone make an immutable tag who push it at once', async () => {
    const { project, name, developer } = await withImages()
    const images = [await developer.image(name, 'a'), await developer.image(name, 'b')]
    await project.maintainer.post(rulesOf(project, 'tag'), { tag_name_pattern: '^v' })
    for (let n = 0; n < 5; n += 1) {
      const all = await Promise.all(
        [...images, ...images].map(({ manifest }) => developer.manifest(name, `v${n}`, manifest)),
      )
      // Both who push what is there are right.
      expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 403, 403])
    }
  })

  test('hold for each tag of a manifest that is deleted, however many it has', async () => {
    const { project, name, developer } = await withImages()
    const { digest } = await developer.image(name, 'v1')
    await project.maintainer.post(rulesOf(project, 'tag'), { tag_name_pattern: '^v' })
    await sql`insert into container_tags (repository_id, name, manifest_id, created_at, updated_at)
      select m.repository_id, 'a' || n, m.id, now(), now() from container_repositories r
        join container_manifests m on m.repository_id = r.id, generate_series(1, 1000) as n
      where r.project_id = ${project.id}`.execute(w.db)
    const remove = await developer.ask(`${name}/manifests/${digest}`, { method: 'DELETE' })
    expect([remove.status, remove.bytes.toString()]).toEqual([403, expect.stringContaining('1000 tags')])
    expect((await developer.ask(`${name}/manifests/v1`)).status).toBe(200)
  })

  test('hold for the media type of an immutable tag', async () => {
    const { project, name, developer } = await withImages()
    const { config, layer } = await developer.image(name, 'other')
    const bytes = JSON.stringify(imageOf(config, [layer], { mediaType: undefined }))
    await project.maintainer.post(rulesOf(project, 'tag'), { tag_name_pattern: '^v' })
    expect((await developer.manifest(name, 'v1', bytes)).status).toBe(201)
    const docker = 'application/vnd.docker.distribution.manifest.v2+json'
    expect((await developer.manifest(name, digestOf(bytes), bytes, docker)).code).toBe('MANIFEST_INVALID')
    const { headers } = await developer.ask(`${name}/manifests/v1`)
    expect(headers.get('content-type')).toBe(OCI_MANIFEST)
  })

  test('are five of each kind at most', async () => {
    const { project } = await withImages()
    const make = (n: number) =>
      project.maintainer.post(rulesOf(project, 'tag'), { tag_name_pattern: `t${n}` })
    for (let n = 0; n < 5; n += 1) expect((await make(n)).status).toBe(201)
    expect((await make(5)).body.message).toEqual({ base: ['a project has at most 5 rules of this kind'] })
  })
})

test.each([
  ['', '', true],
  ['', '/a', false],
  ['*', '/a/b', true],
  ['/a*', '/ab/c', true],
  ['/a*', '/b', false],
  ['*-prod', '/a-prod', true],
  ['/a*b*c', '/aXbYc', true],
  ['/a*b*c', '/abc', true],
  ['/aa*aa', '/aaa', false],
  ['/a*b*b', '/ab', false],
])('the pattern %j and %j: %s', (pattern, text, expected) => {
  expect(matchesWildcards(pattern, text)).toBe(expected)
})
