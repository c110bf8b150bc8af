import { createHash } from 'node:crypto'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Client } from '#test/client.ts'
import { folder } from '#test/program/forgelet.ts'
import { filesBelow, s3, s3Installed } from '#test/s3.ts'
import { unique, w } from '#test/world.ts'
import { fetched, formWith, picture, png } from './test-support.ts'

const topic = async () => {
  const { body } = await w.root.post('/topics', { name: unique('topic'), title: 'A topic' })
  return { path: `/topics/${body.id}`, by: w.root as Client, url: `/projects/topic/avatar/${body.id}` }
}
const user = async () => {
  const { id } = await w.user()
  return { path: `/users/${id}`, by: w.root as Client, url: `/user/avatar/${id}` }
}
const group = async () => {
  const { id, owner } = await w.group({ visibility: 'public' })
  return { path: `/groups/${id}`, by: owner as Client, url: `/group/avatar/${id}` }
}
const project = async () => {
  const { id, maintainer } = await w.project({ visibility: 'public' })
  return { path: `/projects/${id}`, by: maintainer as Client, url: `/project/avatar/${id}` }
}
const kinds = { topic, user, group, project }

describe.each(Object.entries(kinds))('the avatar of a %s', (_, make) => {
  test('is uploaded, shown, replaced and removed', async () => {
    const { path, by, url } = await make()
    expect((await by.get(path)).body.avatar_url).toBe(null)
    const { status, body } = await by.send('PUT', path, { form: formWith(await png()) })
    const address = `${w.url}/uploads/-/system${url}/avatar.png`
    expect([status, body.avatar_url]).toEqual([200, address])
    expect((await by.get(path)).body.avatar_url).toBe(address)
    const first = await fetched(w.anonymous, address)
    expect(first.status).toBe(200)
    expect(first.data).toEqual(await png())
    const other = formWith(await png(16, 16, 'blue'), { filename: 'x.gif' })
    expect((await by.send('PUT', path, { form: other })).body.avatar_url).toBe(address)
    const second = await fetched(w.anonymous, address)
    expect(await sharp(second.data).metadata()).toMatchObject({ width: 16 })
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'))
    expect((await by.put(path, { avatar: '' })).body.avatar_url).toBe(null)
    expect((await fetched(w.anonymous, address)).status).toBe(404)
  })

  test('stays when it is not named, and goes by a blank text or no file in a form', async () => {
    const { path, by } = await make()
    const upload = async () => {
      const { body } = await by.send('PUT', path, { form: formWith(await png()) })
      expect(body.avatar_url).toMatch(/^http/)
    }
    await upload()
    const description = path.startsWith('/users') ? { bio: 'x' } : { description: 'x' }
    expect((await by.put(path, description)).body.avatar_url).toMatch(/^http/)
    const blank = new FormData()
    blank.append('avatar', '')
    expect((await by.send('PUT', path, { form: blank })).body.avatar_url).toBe(null)
    await upload()
    const nothing = formWith(new Uint8Array(), { filename: '', type: 'application/octet-stream' })
    expect((await by.send('PUT', path, { form: nothing })).body.avatar_url).toBe(null)
    await upload()
    expect((await by.put(path, { avatar: null })).body.avatar_url).toBe(null)
  })

  test('is refused when it is no file', async () => {
    const { path, by } = await make()
    for (const avatar of ['text', 1, {}, ['x'], { data: 'x' }]) {
      const { status, body } = await by.put(path, { avatar })
      expect([status, body.error]).toEqual([400, 'avatar is invalid'])
    }
  })
})

describe('an avatar comes with what is made', () => {
  test.each([
    ['/topics', () => ({ name: unique('topic'), title: 'x' })],
    ['/groups', () => ({ name: 'x', path: unique('group') })],
    ['/projects', () => ({ name: unique('project') })],
    [
      '/users',
      () => {
        const username = unique('user')
        return { name: 'x', username, email: `${username}@example.com`, force_random_password: 'true' }
      },
    ],
  ])('POST %s', async (path, given) => {
    const { status, body } = await w.root.send('POST', path, { form: formWith(await png(), given()) })
    expect([status, body.avatar_url]).toEqual([201, expect.stringMatching(/\/avatar\.png$/)])
    expect((await fetched(w.root, body.avatar_url)).status).toBe(200)
  })
})

describe('PUT /user/avatar', () => {
  test("sets the caller's own, and a blank value removes it", async () => {
    const me = await w.user()
    const { status, body } = await me.send('PUT', '/user/avatar', { form: formWith(await png()) })
    const avatar_url = `${w.url}/uploads/-/system/user/avatar/${me.id}/avatar.png`
    expect([status, body]).toEqual([200, { avatar_url }])
    expect((await me.get('/user')).body.avatar_url).toBe(avatar_url)
    expect((await me.put('/user/avatar', { avatar: '' })).body).toEqual({ avatar_url: null })
    expect((await me.get('/user')).body.avatar_url).toBe(null)
    expect((await me.put('/user/avatar', {})).body.error).toBe('avatar is missing')
  })
})

describe('avatar_url', () => {
  test('is wherever the user is shown', async () => {
    const p = await w.project()
    const { id, guest } = p
    const { body } = await guest.send('PUT', '/user/avatar', { form: formWith(await png()) })
    const issue = await guest.post(`/projects/${id}/issues`, { title: 'x' })
    const note = await guest.post(`/projects/${id}/issues/${issue.body.iid}/notes`, { body: 'x' })
    const member = await guest.get(`/projects/${id}/members/${guest.id}`)
    const users = await w.root.get(`/users?username=${guest.username}`)
    for (const shown of [issue.body.author, note.body.author, member.body, users.body[0]]) {
      expect(shown.avatar_url).toBe(body.avatar_url)
    }
  })

  test('of a namespace is that of the group, or of the person whose it is', async () => {
    const { id, owner } = await w.group()
    const { body: group } = await owner.send('PUT', `/groups/${id}`, { form: formWith(await png()) })
    const inGroup = await owner.post('/projects', { name: unique('p'), namespace_id: id })
    expect(inGroup.body.namespace.avatar_url).toBe(group.avatar_url)
    expect(inGroup.body.avatar_url).toBe(null)
    expect((await owner.get(`/namespaces/${id}`)).body.avatar_url).toBe(group.avatar_url)
    const { body: mine } = await owner.send('PUT', '/user/avatar', { form: formWith(await png()) })
    const own = await owner.post('/projects', { name: unique('p') })
    expect([own.body.namespace.avatar_url, own.body.owner.avatar_url]).toEqual([
      mine.avatar_url,
      mine.avatar_url,
    ])
    expect((await owner.get(`/namespaces/${owner.username}`)).body.avatar_url).toBe(mine.avatar_url)
    const { body } = await owner.get('/personal_access_tokens/self/associations')
    const urls = body.projects.map((one: { namespace: { avatar_url: string } }) => one.namespace.avatar_url)
    expect(new Set(urls)).toEqual(new Set([group.avatar_url, mine.avatar_url]))
  })
})

describe('GET /avatar', () => {
  test('finds a user by the public address, and by no other', async () => {
    const me = await w.user()
    const email = `${me.username}@example.com`
    await me.send('PUT', '/user/avatar', { form: formWith(await png()) })
    const ask = async (address: string) => (await w.anonymous.get(`/avatar?email=${address}&size=32`)).body
    expect(await ask(email)).toEqual({ avatar_url: null })
    await w.root.put(`/users/${me.id}`, { public_email: email })
    expect(await ask(email.toUpperCase())).toEqual({
      avatar_url: `${w.url}/uploads/-/system/user/avatar/${me.id}/avatar.png`,
    })
    expect(await ask('nobody@example.com')).toEqual({ avatar_url: null })
    expect((await w.anonymous.get('/avatar')).body.error).toBe('email is missing')
  })
})

describe('the page of an avatar', () => {
  test('has headers that let browsers do nothing but show it', async () => {
    const { path, by, url } = await project()
    await by.send('PUT', path, { form: formWith(await png()) })
    const { headers } = await fetched(w.anonymous, `${w.url}/uploads/-/system${url}/avatar.png`)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename="avatar.png"',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'max-age=0, private, must-revalidate',
    })
  })

  test('is not sent again while it is the same', async () => {
    const { path, by, url } = await user()
    await by.send('PUT', path, { form: formWith(await png()) })
    const address = `${w.url}/uploads/-/system${url}/avatar.png`
    const { headers, data } = await fetched(w.anonymous, address)
    const etag = headers.get('etag') ?? ''
    const again = await fetched(w.anonymous, address, { 'if-none-match': etag })
    expect([again.status, again.data.length, again.headers.get('etag')]).toEqual([304, 0, etag])
    expect((await fetched(w.anonymous, address, { 'if-none-match': '"other"' })).status).toBe(200)
    expect(etag).toBe(`"${createHash('sha256').update(data).digest('hex')}"`)
  })

  test('is described by HEAD without its bytes being opened', async () => {
    const { path, by, url } = await user()
    const data = await png(33)
    await by.send('PUT', path, { form: formWith(data) })
    const address = `${w.url}/uploads/-/system${url}/avatar.png`
    const whole = await fetched(w.anonymous, address)
    const sha256 = createHash('sha256').update(data).digest()
    const { key } = await w.db
      .selectFrom('files')
      .select('key')
      .where('sha256', '=', sha256)
      .executeTakeFirstOrThrow()
    await w.running.services.files.stores.disk.remove(key)
    const head = await fetch(address, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(String(data.length))
    for (const name of ['content-type', 'etag', 'accept-ranges', 'content-disposition'])
      expect(head.headers.get(name)).toBe(whole.headers.get(name))
    expect((await fetched(w.anonymous, address)).status).toBe(404)
  })

  test('is sent in parts', async () => {
    const { path, by, url } = await user()
    const data = await png(34)
    await by.send('PUT', path, { form: formWith(data) })
    const address = `${w.url}/uploads/-/system${url}/avatar.png`
    const size = data.length
    const etag = (await fetched(w.anonymous, address)).headers.get('etag') ?? ''
    const ask = (range: string, more = {}) => fetched(w.anonymous, address, { range, ...more })
    for (const [range, start, end] of [
      ['bytes=0-9', 0, 9],
      ['bytes=10-', 10, size - 1],
      ['bytes=-10', size - 10, size - 1],
      [`bytes=${size - 1}-${size + 99}`, size - 1, size - 1],
      ['bytes=-99999', 0, size - 1],
    ] as const) {
      const part = await ask(range)
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/${size}`])
      expect(part.headers.get('content-length')).toBe(String(end - start + 1))
      expect(part.data).toEqual(data.subarray(start, end + 1))
    }
    for (const range of ['bytes=0-1,3-4', 'pages=1-2', 'bytes=5-3', 'bytes=-', 'x']) {
      expect([range, (await ask(range)).status]).toEqual([range, 200])
    }
    for (const range of [`bytes=${size}-`, 'bytes=-0']) {
      const beyond = await ask(range)
      expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${size}`])
    }
    expect((await ask('bytes=0-9', { 'if-range': etag })).status).toBe(206)
    expect((await ask('bytes=0-9', { 'if-range': '"other"' })).status).toBe(200)
    expect((await ask('bytes=0-9', { 'if-none-match': etag })).status).toBe(304)
  })

  test('of a private project is for those who may read it: by a token or a session', async () => {
    const p = await w.project()
    const { body } = await p.maintainer.send('PUT', `/projects/${p.id}`, { form: formWith(await png()) })
    const session = await w.session(p.guest)
    const paths = [body.avatar_url, `${w.url}/api/v4/projects/${p.id}/avatar`]
    for (const url of paths) {
      for (const by of [p.guest, p.owner, w.root, session.reader])
        expect((await fetched(by, url)).status).toBe(200)
      for (const by of [p.stranger, w.anonymous]) expect((await fetched(by, url)).status).toBe(404)
      expect((await fetched({ headers: { 'private-token': 'wrong' } }, url)).status).toBe(401)
    }
  })

  test('of a private group, too', async () => {
    const g = await w.group()
    const { body } = await g.owner.send('PUT', `/groups/${g.id}`, { form: formWith(await png()) })
    for (const url of [body.avatar_url, `${w.url}/api/v4/groups/${g.encoded}/avatar`]) {
      expect((await fetched(g.guest, url)).status).toBe(200)
      for (const by of [g.stranger, w.anonymous]) expect((await fetched(by, url)).status).toBe(404)
    }
  })

  test('is not there where there is no avatar', async () => {
    const p = await w.project({ visibility: 'public' })
    const { status, body } = await p.guest.get(`/projects/${p.id}/avatar`)
    expect([status, body]).toEqual([404, { message: '404 Avatar Not Found' }])
    for (const path of [
      'user/avatar/99999999',
      'projects/topic/avatar/99999999',
      'group/avatar/x',
      'other/avatar/1',
    ]) {
      const answer = await fetched(w.root, `${w.url}/uploads/-/system/${path}/avatar.png`)
      expect(answer.status).toBe(404)
    }
  })

  test('goes with the user', async () => {
    const me = await w.user()
    const { body } = await me.send('PUT', '/user/avatar', { form: formWith(await png()) })
    expect((await w.root.delete(`/users/${me.id}`)).status).toBe(204)
    expect((await fetched(w.root, body.avatar_url)).status).toBe(404)
  })
})

describe('a photo', () => {
  const upload = async (photo: Buffer) => {
    const me = await w.user()
    const form = formWith(photo, { type: 'image/jpeg' })
    const { status, body } = await me.send('PUT', '/user/avatar', { form })
    expect(status).toBe(200)
    return (await fetched(w.anonymous, body.avatar_url)).data
  }
  const pixels = (data: Buffer) => sharp(data).raw().toBuffer()
  /** A segment of a JPEG. */
  const segment = (marker: number, content: string) => {
    const data = Buffer.from(`\xff${String.fromCodePoint(marker)}\0\0${content}`, 'latin1')
    data.writeUInt16BE(data.length - 2, 2)
    return data
  }

  test.each([
    ['baseline', false],
    ['progressive', true],
  ])('loses what it says of where it was taken, and no pixel: %s', async (_, progressive) => {
    const photo = await picture(40, 20)
      .withExif({ IFD0: { Copyright: 'Somebody' }, IFD3: { GPSLatitude: '48/1 51/1 0/1' } })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">Somewhere</x:xmpmeta>')
      .withIccProfile('p3')
      .withMetadata({ orientation: 6 })
      .jpeg({ progressive })
      .toBuffer()
    expect([photo.includes('Somebody'), photo.includes('Somewhere')]).toEqual([true, true])
    const kept = await upload(photo)
    const { width, height, orientation, icc, xmp } = await sharp(kept).metadata()
    expect({ width, height, orientation, xmp }).toEqual({
      width: 40,
      height: 20,
      orientation: 6,
      xmp: undefined,
    })
    expect(icc?.length).toBeGreaterThan(100)
    for (const word of ['Somebody', 'Somewhere', 'GPS']) expect(kept.includes(word)).toBe(false)
    expect(await pixels(kept)).toEqual(await pixels(photo))
  })

  test("loses comments, other programs' data, and what follows its end", async () => {
    const plain = await picture(30, 30).jpeg().toBuffer()
    const photo = Buffer.concat([
      plain.subarray(0, 2),
      segment(0xfe, 'Somebody'),
      segment(0xed, 'Photoshop 3.0\0Somewhere'),
      segment(0xe2, 'MPF\0Sometime'),
      segment(0xe5, 'Something'),
      plain.subarray(2),
      Buffer.from('Somehow'),
    ])
    expect(await upload(photo)).toEqual(plain)
  })
})

test('two nodes with data folders of their own show the same picture, which is in S3', async ({ skip }) => {
  if (!s3Installed) skip('SKIPPED: versitygw is not built here')
  const server = await s3()
  const folders = [folder(), folder()]
  const [one, other] = await Promise.all(
    folders.map((data) => w.another(undefined, { ...server.environment(), FORGELET_DATA: data })),
  )
  onTestFinished(async () => void (await Promise.all([one?.stop(), other?.stop()])))
  const me = await w.user()
  const data = await png(40, 40, 'green')
  const on = (node: typeof one) => new Client(node?.url ?? '', { 'private-token': me.token })
  const { body } = await on(one).send('PUT', '/user/avatar', { form: formWith(data) })
  for (const node of [one, other]) {
    const shown = await fetched(w.anonymous, body.avatar_url.replace(one?.url, node?.url))
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(shown.data).toEqual(data)
  }
  expect(server.keys()).toHaveLength(1)
  expect(folders.flatMap((data) => filesBelow(join(data, 'files')))).toEqual([])
  server.control.behave = () => 'refuse'
  const refused = await on(other).send('PUT', '/user/avatar', { form: formWith(await png(9, 9, 'red')) })
  expect([refused.status, refused.body.message]).toEqual([503, expect.stringContaining('file storage')])
})

test('where the configuration asks for it, clients are sent to a signed URL', async ({ skip }) => {
  if (!s3Installed) skip('SKIPPED: versitygw is not built here')
  const server = await s3()
  const node = await w.another(undefined, server.environment({ signed_urls: 'true' }))
  onTestFinished(() => node.stop())
  const me = await w.user()
  const data = await png(41, 41, 'green')
  const client = new Client(node.url, { 'private-token': me.token })
  const { body } = await client.send('PUT', '/user/avatar', { form: formWith(data) })
  const answer = await fetch(body.avatar_url, { redirect: 'manual' })
  expect([answer.status, answer.headers.get('location')]).toEqual([
    302,
    expect.stringContaining('Signature='),
  ])
  const shown = await fetched(w.anonymous, body.avatar_url)
  expect([shown.headers.get('content-type'), shown.data]).toEqual(['image/png', data])
  const head = await fetch(body.avatar_url, { method: 'HEAD', redirect: 'manual' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(data.length)])
})
