import { expect, test } from 'vitest'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { OCI_INDEX } from '#test/fake-registry.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { collectGarbage } from './collect-garbage.ts'
import { age, collect, repositoryOf } from './garbage-test-support.ts'
import { imageOf, indexOf, withImages } from './test-support.ts'

test('what no tag leads to is removed after a day, and nothing else', async () => {
  const { project, name, developer } = await withImages()
  const kept = await developer.image(name, 'kept')
  const inIndex = await developer.image(name, 'part')
  await developer.manifest(name, 'all', indexOf([inIndex]), OCI_INDEX)
  const subject = { mediaType: 'x/y', digest: kept.digest, size: kept.size }
  const referring = await developer.image(name, 'signature', { subject })
  const gone = await developer.image(name, 'gone')
  const unnamed = await developer.blob(name)
  for (const tag of ['part', 'signature', 'gone'])
    await developer.ask(`${name}/manifests/${tag}`, { method: 'DELETE' })
  const { id } = await repositoryOf(project)
  const there = async (path: string) => (await developer.ask(`${name}/${path}`)).status === 200
  await collect(id)
  // Everything is young.
  expect(await there(`manifests/${gone.digest}`)).toBe(true)
  await age(id)
  await collect(id)
  for (const image of [kept, inIndex, referring]) {
    expect(await there(`manifests/${image.digest}`)).toBe(true)
    expect(await there(`blobs/${image.layer.digest}`)).toBe(true)
  }
  expect(await there(`manifests/${gone.digest}`)).toBe(false)
  expect(await there(`blobs/${gone.layer.digest}`)).toBe(false)
  expect(await there(`blobs/${unnamed.digest}`)).toBe(false)
})

test('a blob that somebody has asked for stays until they name it', async () => {
  const { project, name, developer } = await withImages()
  const [config, layer] = [await developer.blob(name), await developer.blob(name)]
  const { id } = await repositoryOf(project)
  await age(id)
  for (const { digest } of [config, layer])
    expect((await developer.ask(`${name}/blobs/${digest}`, { method: 'HEAD' })).status).toBe(200)
  await collect(id)
  expect((await developer.manifest(name, 'v1', imageOf(config, [layer]))).status).toBe(201)
})

test('the job goes through all repositories, and ends uploads that nobody goes on with', async () => {
  const { project, name, developer } = await withImages()
  await developer.blob(name)
  const begun = await developer.ask(`${name}/blobs/uploads/`, { method: 'POST' })
  const location = begun.headers.get('location') ?? ''
  const { id } = await repositoryOf(project)
  await age(id)
  await w.db
    .updateTable('container_uploads')
    .set({ updated_at: '2020-01-01T00:00:00.000Z' })
    .where('repository_id', '=', id)
    .execute()
  await w.write((tx) => enqueue(tx, collectGarbage, {}))
  await until(async () => expect((await developer.ask(location)).code).toBe('BLOB_UPLOAD_UNKNOWN'))
  // Asking for it by the registry would count as a use.
  const blobs = w.db.selectFrom('container_blobs').select('id').where('repository_id', '=', id)
  await until(async () => expect(await blobs.execute()).toEqual([]))
})
