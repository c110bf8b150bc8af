import { describe, expect, test } from 'vitest'
import { OCI_INDEX } from '#test/fake-registry.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { indexOf, Registry, withImages } from './test-support.ts'

const host = w.url.replace('http://', '')

/** A project with an image of three tags, below its path. */
async function withTags() {
  const place = await withImages()
  const name = `${place.name}/app`
  const image = await place.developer.image(name, 'v1')
  for (const tag of ['v2', 'latest']) await place.developer.manifest(name, tag, image.manifest)
  const base = `/projects/${place.project.id}/registry/repositories`
  const { body } = await place.project.reporter.get(base)
  return { ...place, name, image, base, repository: body[0], path: `${base}/${body[0].id}` }
}

describe('repositories', () => {
  test('are listed of projects and groups, and read with their tags and size', async () => {
    const { project, name, repository, base, image } = await withTags()
    const expected = {
      id: expect.any(Number),
      name: 'app',
      path: name,
      project_id: project.id,
      location: `${host}/${name}`,
      created_at: expect.any(String),
      cleanup_policy_started_at: null,
      status: null,
      delete_api_path: `${w.url}/api/v4${base}/${repository.id}`,
    }
    expect(repository).toEqual(expected)
    expect((await project.reporter.get(`/groups/${project.groupId}/registry/repositories`)).body).toEqual([
      expected,
    ])
    const tags = ['latest', 'v1', 'v2'].map((tag) => ({
      name: tag,
      path: `${name}:${tag}`,
      location: `${host}/${name}:${tag}`,
    }))
    const wanted = `${base}?tags=true&tags_count=true`
    expect((await project.reporter.get(wanted)).body).toEqual([{ ...expected, tags_count: 3, tags }])
    const one = await project.reporter.get(
      `/registry/repositories/${repository.id}?size=true&tags_count=true`,
    )
    expect(one.body).toEqual({
      ...expected,
      tags_count: 3,
      size: image.size + image.config.size + image.layer.size,
    })
    const statistics = await project.reporter.get(`/projects/${project.id}?statistics=true`)
    expect(statistics.body.statistics.container_registry_size).toBe(one.body.size)
    expect(statistics.body.container_registry_image_prefix).toBe(`${host}/${project.fullPath}`)
  })

  test('of private projects are for their Reporters', async () => {
    const { project, repository, base } = await withTags()
    const one = `/registry/repositories/${repository.id}`
    const statuses = async (by: (typeof project)['guest']) => [
      (await by.get(base)).status,
      (await by.get(one)).status,
      (await by.get(`/groups/${project.groupId}/registry/repositories`)).body.length,
    ]
    expect(await statuses(project.guest)).toEqual([403, 403, 0])
    expect((await project.stranger.get(one)).body.message).toBe('404 Not found')
    expect((await w.anonymous.get(one)).status).toBe(404)
    expect((await project.owner.get('/registry/repositories/123456789')).status).toBe(404)
    await project.owner.put(`/projects/${project.id}`, { container_registry_access_level: 'disabled' })
    expect(await statuses(project.owner)).toEqual([403, 403, 0])
  })

  test('are deleted by a job, and their name is free again', async () => {
    const { project, path, developer, name, image } = await withTags()
    await developer.manifest(name, 'all', indexOf([image]), OCI_INDEX)
    expect((await project.developer.delete(path)).status).toBe(403)
    const deleted = await project.maintainer.delete(path)
    expect([deleted.status, deleted.body]).toEqual([202, { message: '202 Accepted' }])
    await until(async () => expect((await project.maintainer.delete(path)).status).toBe(404))
    expect((await developer.ask(`${name}/manifests/v1`)).code).toBe('NAME_UNKNOWN')
    const { body } = await project.reporter.get(`/projects/${project.id}?statistics=true`)
    expect(body.statistics.container_registry_size).toBe(0)
    await developer.image(name, 'v1')
  })

  test('follow their project when it is renamed and moved', async () => {
    const { project, developer, name, image } = await withTags()
    const group = await w.group()
    await w.member(group.id, project.owner, 50)
    await project.owner.put(`/projects/${project.id}/transfer`, { namespace: group.id })
    const { body } = await project.owner.put(`/projects/${project.id}`, { path: 'renamed' })
    const now = `${body.path_with_namespace.toLowerCase()}/app`
    expect((await developer.ask(`${now}/manifests/v1`)).bytes.toString()).toBe(image.manifest)
    expect((await developer.ask(`${name}/manifests/v1`)).status).toBe(404)
  })
})

describe('tags', () => {
  test('are listed by name: by pages, and by keys', async () => {
    const { project, path } = await withTags()
    const names = async (query: string) => {
      const { body, headers } = await project.reporter.get(`${path}/tags${query}`)
      return [body.map((tag: { name: string }) => tag.name), headers.get('link'), headers.get('x-total')]
    }
    expect((await names(''))[0]).toEqual(['latest', 'v1', 'v2'])
    expect((await names('?per_page=2&page=2'))[0]).toEqual(['v2'])
    expect((await names('?per_page=2&page=2'))[2]).toBe('3')
    const first = await names('?pagination=keyset&per_page=2')
    const link = `<${w.url}/api/v4${path}/tags?pagination=keyset&per_page=2&order_by=name&sort=asc&last=v1>; rel="next"`
    expect(first).toEqual([['latest', 'v1'], link, null])
    expect(await names('?pagination=keyset&per_page=2&order_by=name&sort=asc&last=v1')).toEqual([
      ['v2'],
      null,
      null,
    ])
    expect((await names('?pagination=keyset&order_by=name&sort=desc&last=v2'))[0]).toEqual(['v1', 'latest'])
  })

  test('by keys are for callers who sign in', async () => {
    const place = await withImages(w, { visibility: 'public' })
    await place.developer.image(place.name, 'v1')
    const base = `/projects/${place.project.id}/registry/repositories`
    const { body } = await w.anonymous.get(base)
    expect((await w.anonymous.get(`${base}/${body[0].id}/tags`)).status).toBe(200)
    expect((await w.anonymous.get(`${base}/${body[0].id}/tags?pagination=keyset`)).status).toBe(405)
  })

  test('are read in detail, and deleted', async () => {
    const { project, path, name, image } = await withTags()
    const { body } = await project.reporter.get(`${path}/tags/v1`)
    const revision = image.config.digest.slice('sha256:'.length)
    expect(body).toEqual({
      name: 'v1',
      path: `${name}:v1`,
      location: `${host}/${name}:v1`,
      revision,
      short_revision: revision.slice(0, 9),
      digest: image.digest,
      created_at: expect.any(String),
      total_size: image.size + image.config.size + image.layer.size,
    })
    expect((await project.reporter.delete(`${path}/tags/v1`)).status).toBe(403)
    expect((await project.developer.delete(`${path}/tags/v1`)).status).toBe(200)
    expect((await project.developer.delete(`${path}/tags/v1`)).body.message).toBe('404 Tag Not Found')
    expect((await project.reporter.get(`${path}/tags/v1`)).body.message).toBe('404 Tag Not Found')
    expect((await project.reporter.get(`${path}0/tags/v1`)).body.message).toBe('404 Repository Not Found')
  })

  test('are deleted by an expression: latest, the newest, and those to keep stay', async () => {
    const { project, path, developer, name, image } = await withTags()
    for (const tag of ['a1', 'a2', 'a3', 'keep-a', 'b']) await developer.manifest(name, tag, image.manifest)
    const remove = (query: string) => project.maintainer.delete(`${path}/tags?${query}`)
    const names = async () => {
      const { body } = await project.reporter.get(`${path}/tags`)
      return body.map((tag: { name: string }) => tag.name)
    }
    expect((await remove('')).body.message).toEqual({ name_regex_delete: ["can't be blank"] })
    expect((await remove('name_regex_delete=(')).body.message).toEqual({ name_regex_delete: ['is invalid'] })
    expect((await remove('name_regex_delete=.*&older_than=x')).status).toBe(400)
    expect((await remove('name_regex_delete=.*&older_than=1d')).status).toBe(202)
    expect((await remove('name_regex_delete=a.&name_regex_keep=a2')).body).toEqual({
      message: '202 Accepted',
    })
    const left = ['a2', 'b', 'keep-a', 'latest', 'v1', 'v2']
    await until(async () => expect(await names()).toEqual(left))
    expect((await remove('name_regex_delete=.*&keep_n=2&name_regex_keep=v.')).status).toBe(202)
    await until(async () => expect(await names()).toHaveLength(5))
    expect((await project.developer.delete(`${path}/tags?name_regex_delete=.*`)).status).toBe(403)
  })
})

test('the names of repositories are the path of a project and two levels below it', async () => {
  const { name, developer, project } = await withImages()
  for (const below of ['', '/a', '/a/b']) await developer.blob(`${name}${below}`)
  const refused = await developer.ask(`${name}/a/b/c/blobs/uploads/`, { method: 'POST' })
  expect([refused.status, refused.code]).toEqual([404, 'NAME_UNKNOWN'])
  const { body } = await project.reporter.get(`/projects/${project.id}/registry/repositories`)
  expect(body.map((one: { name: string }) => one.name)).toEqual(['', 'a', 'a/b'])
  const group = await w.root.post('/groups', { name: 'x', path: 'virtual_registries' })
  expect([group.status, JSON.stringify(group.body.message)]).toEqual([
    400,
    expect.stringContaining('reserved'),
  ])
})

test('public projects give images to strangers, who push nothing', async () => {
  const { name, developer } = await withImages(w, { visibility: 'public' })
  const { manifest, layer } = await developer.image(name, 'v1')
  const stranger = new Registry(undefined)
  expect((await stranger.ask(`${name}/manifests/v1`)).bytes.toString()).toBe(manifest)
  expect((await stranger.ask(`${name}/blobs/${layer.digest}`)).status).toBe(200)
  const push = await stranger.ask(`${name}/blobs/uploads/`, { method: 'POST' })
  expect([push.status, push.code]).toEqual([401, 'UNAUTHORIZED'])
  const hidden = await withImages()
  await hidden.developer.image(hidden.name, 'v1')
  expect((await stranger.ask(`${hidden.name}/manifests/v1`)).status).toBe(401)
  expect((await stranger.ask('nobody/has-this/manifests/v1')).status).toBe(401)
})
