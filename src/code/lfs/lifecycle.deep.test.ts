import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { cloneOf, projectWith, urlWith, withGit } from '#code/git-http/test-support.ts'
import { moveProject, placeOf, SECOND } from '#code/repository-storage-moves/test-support.ts'
import { endOfImport, exportOf, importOf } from '#test/archives.ts'
import { noGitLfs, pulled, tracksBin, withLfs } from '#test/git-lfs.ts'
import { until } from '#test/until.ts'
import { unique, w, type Actor } from '#test/world.ts'

withGit()
const missing = noGitLfs()
beforeAll(() => {
  if (missing !== undefined) console.warn(`skipped: ${missing}`)
})

/** A project with a file in LFS. */
async function withObject() {
  const { project, url, work } = await projectWith(tracksBin)
  const bytes = randomBytes(10_000)
  await withLfs(work)
  await work.commit({ 'a.bin': bytes })
  await work.run('push', '--quiet', 'origin', 'main')
  return { project, url, work, bytes }
}

const fileOf = async (by: Actor, fullPath: string, file = 'a.bin') =>
  pulled(await cloneOf(urlWith(by.token, fullPath)), file)

async function forkOf(by: Actor, project: { readonly id: number }) {
  const made = await by.post(`/projects/${project.id}/fork`, { path: unique('fork') })
  expect(made.status).toBe(201)
  await until(async () =>
    expect((await by.get(`/projects/${made.body.id}`)).body.import_status).toBe('finished'),
  )
  const { id, path_with_namespace: fullPath }: { id: number; path_with_namespace: string } = made.body
  return { id, fullPath }
}

describe.skipIf(missing !== undefined)('objects of LFS', () => {
  it('are those of a fork, too, and stay there when the source is deleted', async () => {
    const { project, bytes } = await withObject()
    const fork = await forkOf(project.developer, project)
    expect(await fileOf(project.developer, fork.fullPath)).toEqual(bytes)
    await project.owner.delete(`/projects/${project.id}`)
    expect(await fileOf(project.developer, fork.fullPath)).toEqual(bytes)
  })

  it('are in archives, and in the projects that are made of them', async () => {
    const { project, bytes } = await withObject()
    const archive = await exportOf(project.owner, project.id)
    const made = await importOf(project.owner, archive)
    expect((await endOfImport(project.owner, made)).import_status).toBe('finished')
    const { body } = await project.owner.get(`/projects/${made.body.id}`)
    expect(await fileOf(project.owner, body.path_with_namespace)).toEqual(bytes)
  })

  it('stay with a project that moves to another group or storage', async () => {
    const { project, bytes } = await withObject()
    const group = await w.group()
    const moved = await w.root.put(`/projects/${project.id}/transfer`, { namespace: group.id })
    expect(moved.status).toBe(200)
    const { body } = await w.root.get(`/projects/${project.id}`)
    expect(await fileOf(w.root, body.path_with_namespace)).toEqual(bytes)
    await moveProject(project)
    await until(async () => expect((await placeOf(project)).storage).toBe(SECOND))
    expect(await fileOf(w.root, body.path_with_namespace)).toEqual(bytes)
  })
})
