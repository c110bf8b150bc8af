import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { w } from '#test/world.ts'

const CONTENT = 'the key of everything'

test('secure files are made, listed, downloaded and deleted', async () => {
  const p = await w.project()
  const path = `/projects/${p.id}/secure_files`
  const send = (name: string, content = CONTENT) => {
    const form = new FormData()
    form.append('name', name)
    form.append('file', new Blob([content]), 'key.p12')
    return p.maintainer.send('POST', path, { form })
  }
  const made = await send('key.p12')
  expect([made.status, made.body]).toEqual([
    201,
    {
      id: expect.any(Number),
      name: 'key.p12',
      checksum: createHash('sha256').update(CONTENT).digest('hex'),
      checksum_algorithm: 'sha256',
      created_at: expect.any(String),
      expires_at: null,
      metadata: null,
      metadata_parsable: false,
      file_extension: 'p12',
    },
  ])
  expect((await p.developer.get(path)).body).toEqual([made.body])
  const one = `${path}/${made.body.id}`
  expect((await p.developer.get(one)).body).toEqual(made.body)
  expect((await p.developer.get(`${one}/download`)).text).toBe(CONTENT)
  expect((await p.reporter.get(one)).status).toBe(403)
  expect((await send('key.p12')).body.message).toEqual({ name: ['has already been taken'] })
  expect((await send('a/b')).status).toBe(400)
  expect((await send('large', 'x'.repeat(5 * 1024 * 1024 + 1))).status).toBe(400)
  expect((await p.maintainer.delete(one)).status).toBe(204)
  expect((await p.maintainer.get(one)).body.message).toBe('404 Secure File Not Found')
  expect((await p.maintainer.delete(one)).status).toBe(404)
})

test('secure files close with CI/CD, and do not change in an archived project', async () => {
  const p = await w.project()
  const path = `/projects/${p.id}/secure_files`
  const form = new FormData()
  form.append('name', 'key')
  form.append('file', new Blob([CONTENT]), 'key')
  const { body } = await p.maintainer.send('POST', path, { form })
  await p.owner.post(`/projects/${p.id}/archive`)
  expect((await p.maintainer.delete(`${path}/${body.id}`)).status).toBe(403)
  expect((await p.developer.get(`${path}/${body.id}/download`)).text).toBe(CONTENT)
  await p.owner.post(`/projects/${p.id}/unarchive`)
  await p.owner.put(`/projects/${p.id}`, { builds_access_level: 'disabled' })
  expect((await p.maintainer.get(path)).status).toBe(403)
  expect((await p.maintainer.delete(`${path}/${body.id}`)).status).toBe(403)
})
