import { describe, expect, it, test } from 'vitest'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { DOT, secretOf, uploaded } from './test-support.ts'

describe.each(['project', 'group'] as const)('uploads of a %s', (kind) => {
  const place = async (visibility: 'private' | 'public' = 'private') => {
    const made = kind === 'project' ? await w.project({ visibility }) : await w.group({ visibility })
    return { ...made, path: `/${kind}s/${made.id}` }
  }

  it('are made, listed, downloaded and deleted', async () => {
    const p = await place()
    const made = await uploaded(p.guest, p.path)
    const secret = secretOf(made)
    expect(secret).toMatch(/^[0-9a-f]{32}$/)
    expect(made).toEqual({
      id: expect.any(Number),
      alt: 'dot',
      url: `/uploads/${secret}/dot.png`,
      full_path: `/-/${kind}/${p.id}/uploads/${secret}/dot.png`,
      markdown: `![dot](/uploads/${secret}/dot.png)`,
    })
    const text = await uploaded(p.developer, p.path, 'Text', 'notes.txt')
    expect(text.markdown).toBe(`[notes.txt](${text.url})`)
    const list = await p.maintainer.get(`${p.path}/uploads`)
    expect(list.body).toEqual([
      {
        id: text.id,
        size: 4,
        filename: 'notes.txt',
        created_at: expect.any(String),
        uploaded_by: { id: p.developer.id, name: expect.any(String), username: p.developer.username },
      },
      expect.objectContaining({ id: made.id, size: DOT.length, filename: 'dot.png' }),
    ])
    expect((await p.developer.get(`${p.path}/uploads`)).status).toBe(403)
    expect((await p.maintainer.get(`${p.path}/uploads/${text.id}`)).text).toBe('Text')
    expect((await p.developer.get(`${p.path}/uploads/${text.id}`)).status).toBe(403)
    const bySecret = `${p.path}${text.url}`
    expect((await p.guest.get(bySecret)).text).toBe('Text')
    expect((await p.developer.delete(bySecret)).status).toBe(403)
    expect((await p.maintainer.delete(bySecret)).status).toBe(204)
    expect((await p.guest.get(bySecret)).status).toBe(404)
    expect((await p.maintainer.delete(`${p.path}/uploads/${made.id}`)).status).toBe(204)
    expect((await p.maintainer.delete(`${p.path}/uploads/${made.id}`)).body.message).toBe(
      '404 Upload Not Found',
    )
    expect((await p.maintainer.get(`${p.path}/uploads`)).body).toEqual([])
  })

  it('are at addresses outside of the API, for those who may see the place', async () => {
    const p = await place()
    const made = await uploaded(p.guest, p.path)
    const inPath = kind === 'project' ? `/${p.fullPath}${made.url}` : `/groups/${p.fullPath}/-${made.url}`
    for (const path of [made.full_path, inPath]) {
      for (const accept of ['*/*', 'text/html', 'image/png']) {
        const found = await p.guest.get(`${w.url}${path}`, { headers: { accept } })
        expect([path, found.status, found.headers.get('content-type')]).toEqual([path, 200, 'image/png'])
        expect((await p.stranger.get(`${w.url}${path}`, { headers: { accept } })).status).toBe(404)
        expect((await p.anonymous.get(`${w.url}${path}`, { headers: { accept } })).status).toBe(404)
      }
      expect((await p.guest.head(`${w.url}${path}`)).headers.get('content-length')).toBe(String(DOT.length))
    }
    const open = await place('public')
    const seen = await uploaded(open.stranger, open.path)
    expect((await open.anonymous.get(`${w.url}${seen.full_path}`)).status).toBe(200)
    const other = `/-/${kind}/${open.id}${made.url}`
    expect((await open.anonymous.get(`${w.url}${other}`)).status).toBe(404)
    expect((await open.anonymous.get(`${w.url}${seen.full_path.replace('dot', 'dots')}`)).status).toBe(404)
  })
})

test('only harmless pictures are shown, in a sandbox; all else is saved', async () => {
  const p = await w.project()
  const sent = async (filename: string) => {
    const { full_path } = await uploaded(p.developer, `/projects/${p.id}`, '<svg/>', filename)
    const { headers } = await p.guest.get(`${w.url}${full_path}`)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    return [headers.get('content-disposition')?.split(';')[0], headers.get('content-type')]
  }
  expect(await sent('a.png')).toEqual(['inline', 'image/png'])
  expect(await sent('a.JPG')).toEqual(['inline', 'image/jpeg'])
  expect(await sent('a.gif')).toEqual(['inline', 'image/gif'])
  expect(await sent('a.webp')).toEqual(['inline', 'image/webp'])
  expect(await sent('a.svg')).toEqual(['attachment', 'image/svg+xml'])
  expect(await sent('a.html')).toEqual(['attachment', 'application/octet-stream'])
  expect(await sent('a.png.html')).toEqual(['attachment', 'application/octet-stream'])
  expect(await sent('png')).toEqual(['attachment', 'application/octet-stream'])
})

test('downloads have ranges and entity tags', async () => {
  const p = await w.project()
  const { full_path } = await uploaded(p.developer, `/projects/${p.id}`, '0123456789', 'digits.txt')
  const url = `${w.url}${full_path}`
  const part = await p.guest.get(url, { headers: { range: 'bytes=2-4' } })
  expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10'])
  expect((await p.guest.get(url, { headers: { range: 'bytes=20-' } })).status).toBe(416)
  const etag = part.headers.get('etag') ?? ''
  expect((await p.guest.get(url, { headers: { 'if-none-match': etag } })).status).toBe(304)
})

test('an archived project keeps its uploads, and takes no others', async () => {
  const p = await w.project()
  const path = `/projects/${p.id}`
  const made = await uploaded(p.developer, path)
  await p.owner.post(`${path}/archive`)
  expect((await p.guest.get(`${path}${made.url}`)).status).toBe(200)
  expect((await p.maintainer.delete(`${path}/uploads/${made.id}`)).status).toBe(403)
  expect((await p.owner.post(`${path}/uploads`)).status).toBe(403)
})

test('what uploads take is counted for projects and groups', async () => {
  const p = await w.project()
  await w.memberAtLeast(p.groupId, p.owner, 50)
  const path = `/projects/${p.id}`
  const groupPath = p.fullPath.split('/')[0]
  const made = await uploaded(p.developer, path, 'x'.repeat(1_000), 'x.txt')
  await uploaded(p.developer, path, 'x'.repeat(1_000), 'y.txt')
  await uploaded(p.owner, `/groups/${p.groupId}`, 'x'.repeat(10), 'z.txt')
  const sizes = async () => [
    (await p.owner.get(`${path}?statistics=true`)).body.statistics,
    (await w.root.get(`/groups?statistics=true&search=${groupPath}`)).body[0].statistics,
  ]
  expect(await sizes()).toMatchObject([
    { uploads_size: 2_000, storage_size: 2_000 },
    { uploads_size: 2_010, storage_size: 2_010 },
  ])
  await p.maintainer.delete(`${path}/uploads/${made.id}`)
  expect(await sizes()).toMatchObject([{ uploads_size: 1_000 }, { uploads_size: 1_010 }])
})

test('uploads and their deletion are recorded', async () => {
  const p = await w.project()
  const path = `/projects/${p.id}`
  const made = await uploaded(p.developer, path)
  await p.maintainer.delete(`${path}/uploads/${made.id}`)
  const events = await w.db
    .selectFrom('facts')
    .select(['name', 'details'])
    .where('namespace_id', '=', p.namespaceId)
    .where('name', 'like', 'upload %')
    .orderBy('id')
    .execute()
  expect(events).toEqual([
    { name: 'upload created', details: { file: 'dot.png' } },
    { name: 'upload deleted', details: { file: 'dot.png' } },
  ])
})

test('uploads go with their project, and nothing keeps their bytes then', async () => {
  const p = await w.project()
  const { full_path } = await uploaded(p.developer, `/projects/${p.id}`, `only here ${p.id}`, 'x.txt')
  const [{ file_id } = { file_id: '' }] = await rowsOf(p.namespaceId)
  await p.owner.delete(`/projects/${p.id}`)
  expect((await p.guest.get(`${w.url}${full_path}`)).status).toBe(404)
  await until(async () => expect(await rowsOf(p.namespaceId)).toEqual([]))
  const kept = await w.db.selectFrom('uploads').select('id').where('file_id', '=', file_id).execute()
  expect(kept).toEqual([])
})

const rowsOf = (namespaceId: number) =>
  w.db.selectFrom('uploads').select('file_id').where('namespace_id', '=', namespaceId).execute()

test('uploads of a user who is deleted stay, without them', async () => {
  const p = await w.project({ visibility: 'public' })
  const path = `/projects/${p.id}`
  const user = await w.user()
  const { url } = await uploaded(user, path)
  await w.root.delete(`/users/${user.id}`)
  await until(async () => {
    const [upload] = (await p.maintainer.get(`${path}/uploads`)).body
    expect(upload.uploaded_by?.id).not.toBe(user.id)
  })
  expect((await p.guest.get(path + url)).status).toBe(200)
})

test('a project that is renamed keeps its uploads', async () => {
  const p = await w.project()
  const path = `/projects/${p.id}`
  const { full_path, url } = await uploaded(p.developer, path)
  const { body } = await p.owner.put(path, { path: 'renamed' })
  expect((await p.guest.get(`${w.url}${full_path}`)).status).toBe(200)
  expect((await p.guest.get(`${w.url}/${body.path_with_namespace}${url}`)).status).toBe(200)
})
