import { request } from 'node:http'
import { afterEach, describe, expect, it, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { fileForm, uploaded } from './test-support.ts'

const MEGABYTE = 1024 * 1024

const setting = (values: object) => w.root.put('/application/settings', values)
afterEach(() => setting({ max_attachment_size: 100, uploads_max_project_size: 10_240 }))

/** A body of a multipart form, as no client of ours writes it. */
function raw(disposition: string, content = 'x') {
  return {
    form: `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n--b--\r\n`,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  }
}

describe('names of files', () => {
  it.each([
    ['../../../etc/passwd', 'passwd'],
    ['..\\..\\x.txt', 'x.txt'],
    ['..', 'file'],
    ['.htaccess', 'htaccess'],
    ['a\u202egnp.exe', 'a_gnp.exe'],
    ['a](javascript:alert)[b.png', 'a_javascript_alert_b.png'],
    ['<img onerror=x>.png', '_img_onerror_x_.png'],
    ['äöü שלום.png', 'äöü_שלום.png'],
  ])('%j is %j', async (sent, kept) => {
    const p = await w.project()
    const path = `/projects/${p.id}`
    const { url } = await uploaded(p.developer, path, 'x', sent)
    expect(url.split('/').at(-1)).toBe(kept)
    expect((await p.guest.get(encodeURI(path + url))).text).toBe('x')
  })

  it('of 300 characters keep their extension, and of none have one made up', async () => {
    const p = await w.project()
    const path = `/projects/${p.id}`
    const { url } = await uploaded(p.developer, path, 'x', `${'x'.repeat(300)}.png`)
    expect(url.split('/').at(-1)).toMatch(/^x{196}\.png$/)
    const wide = await uploaded(p.developer, path, 'x', `${'😀'.repeat(300)}ä.png`)
    expect(wide.url.split('/').at(-1)).toBe('_ä.png')
    for (const name of ['', '\0']) {
      const { status, body } = await p.developer.send(
        'POST',
        `${path}/uploads`,
        raw(`name="file"; filename="${name}"`),
      )
      expect([status, body.alt ?? body.message]).toEqual([201, 'file'])
    }
  })
})

test('what is no form with a file is refused', async () => {
  const p = await w.project()
  const url = `/projects/${p.id}/uploads`
  const send = async (sending: Parameters<Client['send']>[2]) =>
    (await p.developer.send('POST', url, sending)).status
  expect(await send({ json: { file: 'x' } })).toBe(400)
  expect(await send({ form: new URLSearchParams({ file: 'x' }) })).toBe(400)
  expect(await send({})).toBe(400)
  expect(await send(raw('name="file"'))).toBe(400)
  expect(await send(raw('name="other"; filename="x"'))).toBe(400)
  expect(await send({ ...raw('name="file"; filename="x"'), form: '--b\r\nContent-' })).toBe(400)
  const two = fileForm('x', 'x')
  two.append('file', new Blob(['y']), 'y')
  expect(await send({ form: two })).toBe(400)
  expect((await p.maintainer.get(url)).body).toEqual([])
})

test.each(['..', '%00', 'x%00', '%2e%2e%2fx', 'x'.repeat(300), '%F0%9F%98%80', '%'])(
  'asking for %j is no failure',
  async (name) => {
    const p = await w.project()
    const { url } = await uploaded(p.developer, `/projects/${p.id}`)
    const secret = url.split('/')[2]
    for (const path of [
      `/projects/${p.id}/uploads/${secret}/${name}`,
      `${w.url}/-/project/${p.id}/uploads/${secret}/${name}`,
    ])
      expect((await p.guest.get(path)).status).toBeLessThan(500)
    expect((await p.guest.get(`/projects/${p.id}/uploads/${name}/dot.png`)).status).toBeLessThan(500)
  },
)

test.each([
  ['a text', '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n'],
  ['another file', '--b\r\nContent-Disposition: form-data; name="x"; filename="x"\r\n\r\n'],
  ['the head of a part', '--b\r\nContent-Disposition: form-data; name="'],
  ['what is before all parts', ''],
  ['what is behind all parts', raw('name="file"; filename="x"').form],
])('%s may not have more than 16 megabytes', async (_, start) => {
  const p = await w.project()
  const { form, headers } = raw('name="file"; filename="x"')
  const much = `${start}${'x'.repeat(17 * MEGABYTE)}\r\n${form}`
  const refused = await p.developer.send('POST', `/projects/${p.id}/uploads`, { form: much, headers })
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('too large parts')])
  await uploaded(p.developer, `/projects/${p.id}`, Buffer.alloc(17 * MEGABYTE))
})

test('a file that is larger than an attachment may be is refused, and nothing stays of it', async () => {
  await setting({ max_attachment_size: 1 })
  const p = await w.project()
  const url = `/projects/${p.id}/uploads`
  const send = (bytes: number) =>
    p.developer.send('POST', url, { form: fileForm(Buffer.alloc(bytes), 'x.bin') })
  expect((await send(MEGABYTE)).status).toBe(201)
  const refused = await send(MEGABYTE + 1)
  expect([refused.status, refused.body.message]).toEqual([413, expect.stringContaining('larger than')])
  expect((await p.maintainer.get(url)).body).toHaveLength(1)
})

test('uploads at once take no more than there is room for', async () => {
  await setting({ uploads_max_project_size: 1 })
  const p = await w.project()
  const url = `/projects/${p.id}/uploads`
  const send = () =>
    p.developer.send('POST', url, {
      form: fileForm(Buffer.alloc(300_000, Math.random().toString()), 'x.bin'),
    })
  const ends = await Promise.all(Array.from({ length: 8 }, send))
  const count = (wanted: number) => ends.filter(({ status }) => status === wanted).length
  expect([count(201), count(507)]).toEqual([3, 5])
  expect((await p.maintainer.get(url)).body).toHaveLength(3)
  const [{ id }] = (await p.maintainer.get(url)).body
  await p.maintainer.delete(`${url}/${id}`)
  expect((await send()).status).toBe(201)
  expect((await send()).body.message).toContain('more than 1 MB')
})

test('a group has as much room as a project', async () => {
  await setting({ uploads_max_project_size: 1 })
  const g = await w.group()
  const url = `/groups/${g.id}/uploads`
  const send = (bytes: number) =>
    g.developer.send('POST', url, { form: fileForm(Buffer.alloc(bytes), 'x.bin') })
  expect((await send(600_000)).status).toBe(201)
  expect((await send(600_000)).status).toBe(507)
  expect((await g.maintainer.get(url)).body).toHaveLength(1)
})

test('a client that leaves in the middle leaves no upload', async () => {
  const p = await w.project()
  const url = `${w.url}/api/v4/projects/${p.id}/uploads`
  const { form, headers } = raw('name="file"; filename="x.bin"', 'x'.repeat(100_000))
  const before = await leftovers()
  // Those of other uploads may go meanwhile.
  const added = async () => (await leftovers()).filter((key) => !before.includes(key))
  await new Promise<void>((resolve) => {
    const asked = request(url, {
      method: 'POST',
      headers: { ...headers, 'private-token': p.developer.token, 'content-length': form.length + 1_000_000 },
    })
    asked.on('error', () => resolve())
    asked.write(form.slice(0, 50_000))
    void until(async () => expect(await added()).not.toEqual([])).then(() => asked.destroy())
  })
  await until(async () => expect(await added()).toEqual([]))
  expect((await p.maintainer.get(`/projects/${p.id}/uploads`)).body).toEqual([])
})

const leftovers = async () =>
  (await w.db.selectFrom('file_leftovers').select('key').execute()).map(({ key }) => key)
