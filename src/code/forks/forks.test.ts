import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commits, giveSample, importInto } from '#test/repositories.ts'
import { type Actor, type Place, unique, w } from '#test/world.ts'
import { until } from '#test/until.ts'

type Project = Place & { readonly groupId: number; readonly namespaceId: number }

const { repositories } = w.running.services

/** Forks a project into the caller's own namespace, and waits until everything is there. */
async function fork(by: Actor, project: { readonly id: number }, json: object = {}) {
  const made = await by.post(`/projects/${project.id}/fork`, json)
  expect([made.status, made.body.message]).toEqual([201, undefined])
  return finished(by, made.body.id)
}

async function finished(by: Actor, id: number) {
  return until(async () => {
    const { body } = await by.get(`/projects/${id}`)
    expect(body.import_status).toBe('finished')
    return body
  })
}

async function sample(visibility: 'private' | 'public' = 'private'): Promise<Project> {
  const project = await w.project({ visibility })
  await giveSample(project)
  return project
}

async function branchesOf(by: Actor, { id }: { readonly id: number }): Promise<string[]> {
  const { body } = await by.get(`/projects/${id}/repository/branches`)
  return body.map(({ name }: { name: string }) => name)
}

async function stored(id: number) {
  const found = await repositories.ofProject(id)
  if (found === undefined) throw new Error('there is no repository')
  return found
}

/** The files of packs of a repository, with the numbers of their files on the disk. */
async function packsOf(id: number): Promise<ReadonlyMap<string, number>> {
  const folder = join((await stored(id)).folder, 'objects/pack')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.pack'))
  return new Map(
    await Promise.all(names.map(async (name) => [name, (await stat(join(folder, name))).ino] as const)),
  )
}

describe('POST /projects/:id/fork', () => {
  it('makes a project of its own with the branches, tags and objects of the source', async () => {
    const project = await sample()
    const { reporter, developer } = project
    await developer.post(`/projects/${project.id}/repository/branches`, { branch: 'a', ref: 'main~1' })
    await developer.post(`/projects/${project.id}/repository/tags`, {
      tag_name: 'v1',
      ref: 'main',
      message: 'x',
    })
    const made = await reporter.post(`/projects/${project.id}/fork`)
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      path_with_namespace: `${reporter.username}/${project.fullPath.split('/').at(-1)}`,
      visibility: 'private',
      import_status: expect.stringMatching(/^(scheduled|finished)$/),
      forks_count: 0,
      forked_from_project: {
        id: project.id,
        path_with_namespace: project.fullPath,
        default_branch: 'main',
        forks_count: 1,
        namespace: { id: project.groupId, kind: 'group' },
        web_url: `${w.url}/${project.fullPath}`,
      },
      permissions: { project_access: { access_level: 50 } },
    })
    const body = await finished(reporter, made.body.id)
    expect(body).toMatchObject({ default_branch: 'main', empty_repo: false })
    expect(await branchesOf(reporter, body)).toEqual(['a', 'main'])
    // Who may no longer read the code of the source still sees the project.
    await project.owner.put(`/projects/${project.id}/members/${reporter.id}`, { access_level: 10 })
    expect((await reporter.get(`/projects/${body.id}`)).body).toMatchObject({
      default_branch: 'main',
      forked_from_project: { id: project.id, default_branch: null },
    })
    await project.owner.put(`/projects/${project.id}/members/${reporter.id}`, { access_level: 20 })
    const tags = await reporter.get(`/projects/${body.id}/repository/tags`)
    expect(tags.body).toMatchObject([{ name: 'v1', message: 'x' }, { name: 'signed' }])
    expect((await reporter.get(`/projects/${project.id}`)).body.forks_count).toBe(1)
    expect((await reporter.get(`/projects/${body.id}/protected_branches`)).body).toMatchObject([
      { name: 'main' },
    ])
    const own = await packsOf(body.id)
    for (const [name, file] of await packsOf(project.id)) expect(own.get(name)).toBe(file)
  })

  it('takes name, path, namespace, description and visibility', async () => {
    const project = await sample('public')
    const group = await w.group({ visibility: 'public' })
    const { maintainer } = group
    const body = await fork(maintainer, project, {
      namespace_path: group.fullPath,
      name: 'My Fork',
      description: 'Mine',
      visibility: 'internal',
    })
    expect(body).toMatchObject({
      path_with_namespace: `${group.fullPath}/my-fork`,
      name: 'My Fork',
      description: 'Mine',
      visibility: 'internal',
    })
    const byId = await maintainer.post(`/projects/${project.id}/fork`, {
      namespace_id: group.id,
      path: unique('path'),
      name: unique('Name'),
    })
    expect(byId.body.namespace.id).toBe(group.id)
    const list = await maintainer.get(`/projects/${project.id}/forks?order_by=id&sort=asc`)
    expect(list.body.map(({ id }: { id: number }) => id)).toEqual([body.id, byId.body.id])
    const seen = await w.anonymous.get(`/projects/${project.id}/forks`)
    expect(seen.body.map(({ id }: { id: number }) => id)).toEqual([byId.body.id])
  })

  it('refuses a second fork in a namespace, and what the caller may not', async () => {
    const project = await sample()
    const { reporter, guest, stranger } = project
    await fork(reporter, project)
    const again = await reporter.post(`/projects/${project.id}/fork`)
    expect([again.status, again.body.message]).toEqual([
      409,
      {
        name: ['has already been taken'],
        path: ['has already been taken'],
        'project_namespace.name': ['has already been taken'],
      },
    ])
    expect((await guest.post(`/projects/${project.id}/fork`)).status).toBe(403)
    expect((await stranger.post(`/projects/${project.id}/fork`)).status).toBe(404)
    const open = await reporter.post(`/projects/${project.id}/fork`, {
      path: 'x',
      name: 'x',
      visibility: 'public',
    })
    expect(open.body.message).toEqual({
      visibility_level: ['public is not allowed since the source is private'],
    })
    const other = await w.group()
    const elsewhere = await reporter.post(`/projects/${project.id}/fork`, { namespace: other.id })
    expect([elsewhere.status, elsewhere.body.message]).toEqual([404, '404 Namespace Not Found'])
    await w.root.put(`/projects/${project.id}`, { forking_access_level: 'disabled' })
    expect((await reporter.post(`/projects/${project.id}/fork`, { path: 'x', name: 'x' })).status).toBe(403)
    await w.root.put(`/projects/${project.id}`, { forking_access_level: 'enabled' })
    await w.root.put(`/groups/${project.groupId}`, { prevent_forking_outside_group: true })
    const outside = await reporter.post(`/projects/${project.id}/fork`, { path: 'x', name: 'x' })
    expect([outside.status, outside.body.message]).toEqual([
      403,
      '403 Forbidden - the project can only be forked inside its group',
    ])
  })

  it('copies one branch alone when asked, with nothing else', async () => {
    const project = await w.project()
    await importInto(project, commits({ files: { a: '1' } }, { branch: 'secret', files: { b: 'hidden' } }))
    const hidden = (await project.developer.get(`/projects/${project.id}/repository/commits/secret`)).body.id
    const body = await fork(project.reporter, project, { branches: 'main' })
    expect(await branchesOf(project.reporter, body)).toEqual(['main'])
    const secret = await project.reporter.get(`/projects/${body.id}/repository/commits/${hidden}`)
    expect(secret.status).toBe(404)
  })

  it('of an empty project is empty', async () => {
    const project = await w.project()
    const body = await fork(project.reporter, project)
    expect([body.empty_repo, await branchesOf(project.reporter, body)]).toEqual([true, []])
  })

  it('keeps its objects when the source is deleted and collected', async () => {
    const project = await sample()
    const { reporter } = project
    const body = await fork(reporter, project)
    const source = await stored(project.id)
    await source.git.capture(source, ['update-ref', '-d', 'refs/heads/main'], { lane: 'write' })
    await source.git.capture(source, ['gc', '--prune=now', '--quiet'], { lane: 'write' })
    await w.root.delete(`/projects/${project.id}`)
    const copy = await stored(body.id)
    await copy.git.capture(copy, ['fsck', '--full', '--strict'], { lane: 'write' })
    const file = await reporter.get(`/projects/${body.id}/repository/files/README.md/raw?ref=main`)
    expect(file.text).toBe('# Sample\n\nMore.\n')
    const written = await reporter.post(`/projects/${body.id}/repository/files/x`, {
      branch: 'main',
      commit_message: 'x',
      content: 'x',
    })
    expect(written.status).toBe(201)
  })

  it('takes as many statements to list many forks as one', async () => {
    const project = await sample('public')
    const { reporter } = project
    for (const path of ['a', 'b', 'c']) await fork(reporter, project, { path, name: path })
    const cost = async (perPage: number) =>
      (await w.sent(() => reporter.get(`/projects/${project.id}/forks?per_page=${perPage}`))).length
    await cost(1)
    expect(await cost(100)).toBe(await cost(1))
    expect(await cost(100)).toBeLessThanOrEqual(4)
  })
})

describe('the relation between a fork and its source', () => {
  it('can be made and ended', async () => {
    const project = await sample()
    const other = await w.project({ parent: project.groupId })
    const path = `/projects/${other.id}/fork`
    const { owner } = other
    await w.member(project.namespaceId, owner, 20)
    const made = await owner.post(`${path}/${project.id}`)
    expect([made.status, made.body.forked_from_project.id]).toEqual([201, project.id])
    expect(made.body.import_status).toBe('finished')
    expect((await owner.post(`${path}/${project.id}`)).status).toBe(409)
    expect((await other.maintainer.post(`${path}/${project.id}`)).status).toBe(403)
    const circle = await w.root.post(`/projects/${project.id}/fork/${other.id}`)
    expect([circle.status, circle.body.message]).toEqual([
      400,
      '400 Bad request - a project cannot be a fork of itself or of its forks',
    ])
    expect((await owner.delete(path)).status).toBe(204)
    expect((await owner.delete(path)).status).toBe(304)
    expect((await owner.get(`/projects/${other.id}`)).body.forked_from_project).toBeUndefined()
    expect((await owner.post(`${path}/${(await w.project()).id}`)).status).toBe(404)
  })

  it('can be made by a path that the source had before', async () => {
    const source = await sample('public')
    const { path: before, full_path } = await w.db
      .selectFrom('namespaces')
      .select(['path', 'full_path'])
      .where('id', '=', source.namespaceId)
      .executeTakeFirstOrThrow()
    expect((await source.owner.put(`/projects/${source.id}`, { path: `${before}-2` })).status).toBe(200)
    const other = await w.project({ visibility: 'private' })
    const path = `/projects/${other.id}/fork/${encodeURIComponent(full_path)}`
    const made = await other.owner.post(path)
    expect([made.status, made.body.forked_from_project?.id]).toEqual([201, source.id])
    expect((await other.owner.post(`${path}-none`)).status).toBe(404)
  })

  it('keeps a fork from being more open than its source', async () => {
    const project = await sample()
    const { reporter } = project
    const { id } = await fork(reporter, project)
    const opened = await reporter.put(`/projects/${id}`, { visibility: 'public' })
    expect([opened.status, opened.body.message]).toEqual([
      400,
      { visibility_level: ['public is not allowed since the source is private'] },
    ])
    await reporter.delete(`/projects/${id}/fork`)
    expect((await reporter.put(`/projects/${id}`, { visibility: 'public' })).status).toBe(200)
  })

  it('does not show a source that the viewer may not see', async () => {
    const project = await sample()
    const { reporter } = project
    const body = await fork(reporter, project)
    await w.root.delete(`/projects/${project.id}/members/${reporter.id}`)
    const shown = await reporter.get(`/projects/${body.id}`)
    expect(shown.status).toBe(200)
    expect(shown.body.forked_from_project).toBeUndefined()
    expect((await w.root.get(`/projects/${body.id}`)).body.forked_from_project.id).toBe(project.id)
  })
})
