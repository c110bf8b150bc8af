import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import { describe, expect, it } from 'vitest'
import { archiveOf, endOfImport, exportOf, importOf } from '#test/archives.ts'
import { until } from '#test/until.ts'
import { unique, w } from '#test/world.ts'
import { download, lfsObject, upload } from './test-support.ts'

const newObject = (bytes = 20_000) => lfsObject(randomBytes(bytes))
const entryOf = ({ oid, bytes }: { readonly oid: string; readonly bytes: Buffer }) => ({
  name: `lfs-objects/${oid}`,
  body: bytes,
})

describe('archives of projects', () => {
  it('hold their LFS objects, which become those of the new project', async () => {
    const { id, fullPath, developer, owner } = await w.project()
    const objects = [newObject(), lfsObject('')]
    for (const object of objects) await upload(fullPath, developer.token, object)
    const archive = await exportOf(owner, id)
    const entries = new Map(
      (await unpackTar(gunzipSync(archive))).map(({ header, data }) => [
        header.name,
        Buffer.from(data ?? []),
      ]),
    )
    for (const { oid, bytes } of objects) expect(entries.get(`lfs-objects/${oid}`)).toEqual(bytes)
    expect(JSON.parse(String(entries.get('lfs-objects.json')))).toEqual(
      Object.fromEntries(objects.map(({ oid }) => [oid, [0]])),
    )
    const made = await importOf(owner, archive)
    expect(await endOfImport(owner, made)).toMatchObject({ import_status: 'finished' })
    const { body } = await owner.get(`/projects/${made.body.id}?statistics=true`)
    for (const { oid, bytes } of objects) {
      const answer = await download(body.path_with_namespace, owner.token, oid)
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes)
    }
    expect(body.statistics.lfs_objects_size).toBe(20_000)
  })

  it('may have files that are no part of the format before objects', async () => {
    const { owner } = await w.project()
    const object = newObject(200_000)
    const archive = await archiveOf({ name: 'later.json', body: '{}' }, entryOf(object), {
      name: `lfs-objects/${'x'.repeat(64)}`,
      body: randomBytes(50_000),
    })
    const made = await importOf(owner, archive)
    expect(await endOfImport(owner, made)).toMatchObject({ import_status: 'finished' })
    expect((await download(made.body.path_with_namespace, owner.token, object.oid)).status).toBe(200)
  })

  it('are refused where an object is not what its name says', async () => {
    const { owner } = await w.project()
    const { oid } = newObject()
    const archive = await archiveOf({ name: `lfs-objects/${oid}`, body: randomBytes(20_000) })
    expect(await endOfImport(owner, await importOf(owner, archive))).toMatchObject({
      import_status: 'failed',
      import_error: `The archive has a file that is not what its name says: lfs-objects/${oid}`,
    })
  })
})

describe('forks', () => {
  it('have the LFS objects of their source, and count them once they are forks no more', async () => {
    const { id, fullPath, developer } = await w.project()
    const object = newObject()
    await upload(fullPath, developer.token, object)
    const { body: fork } = await developer.post(`/projects/${id}/fork`, { path: unique('fork') })
    const own = `/projects/${fork.id}?statistics=true`
    await until(async () => expect((await developer.get(own)).body.import_status).toBe('finished'))
    const sizeOf = async (path = own) => (await developer.get(path)).body.statistics.lfs_objects_size
    expect((await download(fork.path_with_namespace, developer.token, object.oid)).status).toBe(200)
    expect([await sizeOf(), await sizeOf(`/projects/${id}?statistics=true`)]).toEqual([0, 20_000])
    await upload(fork.path_with_namespace, developer.token, newObject(5_000))
    expect(await sizeOf()).toBe(5_000)
    expect((await developer.delete(`/projects/${fork.id}/fork`)).status).toBe(204)
    expect(await sizeOf()).toBe(25_000)
  })

  it('keep and count the objects when their source is deleted, until they are deleted, too', async () => {
    const { id, fullPath, developer, owner } = await w.project()
    const { oid, ...object } = newObject()
    await upload(fullPath, developer.token, { oid, ...object })
    const { body: fork } = await developer.post(`/projects/${id}/fork`, { path: unique('fork') })
    const path = `/projects/${fork.id}?statistics=true`
    await until(async () => expect((await developer.get(path)).body.import_status).toBe('finished'))
    const rows = () =>
      w.db.selectFrom('lfs_objects').select('project_id').where('project_id', 'in', [id, fork.id]).execute()
    await owner.delete(`/projects/${id}`)
    await until(async () => expect(await rows()).toEqual([{ project_id: fork.id }]))
    expect((await developer.get(path)).body.statistics.lfs_objects_size).toBe(20_000)
    expect((await download(fork.path_with_namespace, developer.token, oid)).status).toBe(200)
    await developer.delete(`/projects/${fork.id}`)
    await until(async () => expect(await rows()).toEqual([]))
  })
})
