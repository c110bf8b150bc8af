import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../test/client.ts'
import { unique, w } from '../../test/world.ts'
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
    expect(await sharp(first.data).metadata()).toMatchObject({ format: 'png', width: 32, height: 32 })
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
    const { headers } = await fetched(w.anonymous, address)
    const etag = headers.get('etag') ?? ''
    const again = await fetched(w.anonymous, address, { 'if-none-match': etag })
    expect([again.status, again.data.length, again.headers.get('etag')]).toEqual([304, 0, etag])
    expect((await fetched(w.anonymous, address, { 'if-none-match': '"other"' })).status).toBe(200)
    const head = await fetch(address, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'image/png'])
    const whole = await fetched(w.anonymous, address)
    expect(Number(head.headers.get('content-length'))).toBe(whole.data.length)
    expect(head.headers.get('etag')).toBe(etag)
    const known = await fetch(address, { method: 'HEAD', headers: { 'if-none-match': etag } })
    expect(known.status).toBe(304)
    expect((await fetch(`${w.url}/api/v4/groups/0/avatar`, { method: 'HEAD' })).status).toBe(404)
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

test('what a photo says of where it was taken stays behind, and it stands upright', async () => {
  const photo = await picture(40, 20)
    .withExif({ IFD0: { Copyright: 'Somebody' }, IFD3: { GPSLatitude: '48/1 51/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const me = await w.user()
  const form = formWith(photo, { type: 'image/jpeg' })
  const { body } = await me.send('PUT', '/user/avatar', { form })
  const { data } = await fetched(w.anonymous, body.avatar_url)
  const kept = await sharp(data).metadata()
  expect(kept).toMatchObject({ width: 20, height: 40 })
  expect([kept.exif, kept.orientation]).toEqual([undefined, undefined])
  expect(data.includes('Somebody')).toBe(false)
})
