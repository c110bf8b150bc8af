import { gunzipSync } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import { describe, expect, it } from 'vitest'
import { sha256 } from '#platform/files/test-support.ts'
import { DOT, secretOf, uploaded } from '#planning/uploads/test-support.ts'
import { archiveOf, endOfImport, exportOf, importOf } from '#test/archives.ts'
import { w } from '#test/world.ts'

const row = (secret: string, filename: string, content: string) =>
  `${JSON.stringify({ secret, filename, sha256: sha256(Buffer.from(content)), created_at: '2026-01-01T10:00:00.000Z' })}\n`

describe('archives of projects', () => {
  it('hold their uploads, which texts of the new project name as before', async () => {
    const { id, owner, developer } = await w.project()
    const path = `/projects/${id}`
    const dot = await uploaded(developer, path)
    const text = await uploaded(developer, path, 'Text', 'ä.txt')
    const empty = await uploaded(developer, path, '', 'empty.txt')
    await owner.post(`${path}/issues`, { title: 'Shown', description: dot.markdown })
    const archive = await exportOf(owner, id)
    const names = (await unpackTar(gunzipSync(archive))).map(({ header }) => header.name)
    expect(names).toContain(`uploads/${sha256(DOT)}`)
    const made = await importOf(owner, archive)
    expect(await endOfImport(owner, made)).toMatchObject({ import_status: 'finished' })
    const imported = `/projects/${made.body.id}`
    expect((await owner.get(`${imported}/issues/1`)).body.description).toContain(secretOf(dot))
    expect((await owner.get(`${imported}${dot.url}`)).headers.get('content-type')).toBe('image/png')
    expect((await owner.get(encodeURI(`${imported}${text.url}`))).text).toBe('Text')
    expect((await owner.get(`${imported}${empty.url}`)).status).toBe(200)
    expect((await owner.get(`${imported}/uploads`)).body).toMatchObject([
      { filename: 'empty.txt', uploaded_by: { id: owner.id } },
      { filename: 'ä.txt' },
      { filename: 'dot.png' },
    ])
  })

  it('give nobody a file by its digest alone, nor under a name that leads elsewhere', async () => {
    const p = await w.project()
    await uploaded(p.developer, `/projects/${p.id}`, 'what others have', 'secret.txt')
    const { owner } = await w.project()
    const own = 'own'
    const archive = await archiveOf(
      {
        name: 'uploads.ndjson',
        body:
          row('0'.repeat(32), 'stolen.txt', 'what others have') + row('1'.repeat(32), '../../own\0.txt', own),
      },
      { name: `uploads/${sha256(Buffer.from(own))}`, body: own },
    )
    const made = await importOf(owner, archive)
    expect(await endOfImport(owner, made)).toMatchObject({ import_status: 'finished' })
    expect((await owner.get(`/projects/${made.body.id}/uploads`)).body).toMatchObject([
      { filename: 'own_.txt', size: 3 },
    ])
  })

  it.each([
    ['a file that is not what its name says', [{ name: `uploads/${'0'.repeat(64)}`, body: 'other' }]],
    ['rows that cannot be read', [{ name: 'uploads.ndjson', body: row('x', 'x.txt', 'x') }]],
  ])('are refused with %s', async (_, entries) => {
    const { owner } = await w.project()
    const made = await importOf(owner, await archiveOf(...entries))
    expect(await endOfImport(owner, made)).toMatchObject({ import_status: 'failed' })
  })
})
