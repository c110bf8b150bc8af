import { request } from 'node:http'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Actor, w } from '#test/world.ts'
import { black, fetched, formWith, ihdr, picture, png, pngOf } from './test-support.ts'

let me: Actor
beforeAll(async () => {
  me = await w.user()
})

const upload = (data: Uint8Array, given: Record<string, string> = {}) =>
  me.send('PUT', '/user/avatar', { form: formWith(data, given) })

const refusal = (sentence: string) => ({ message: { avatar: [sentence] } })
const notSupported = refusal('is not an image of a supported kind (PNG, JPEG, GIF or WebP)')
const broken = refusal('cannot be read as an image')
const script = Buffer.from('<script>alert(1)</script>')

describe('an avatar is taken', () => {
  test.each(['png', 'jpeg', 'gif', 'webp'] as const)('as %s, whatever it is called', async (format) => {
    const data = await picture(20, 10).toFormat(format).toBuffer()
    const { status, body } = await upload(data, { filename: 'x.html', type: 'text/html' })
    expect(status).toBe(200)
    const kept = await fetched(w.anonymous, body.avatar_url)
    expect(kept.headers.get('content-type')).toBe(`image/${format}`)
    expect(kept.headers.get('content-disposition')).toMatch(
      /^inline; filename="avatar\.(?:png|jpg|gif|webp)"$/,
    )
    expect(kept.data).toEqual(data)
  })

  test('with all pictures of an animation', async () => {
    const frames = [await png(8, 8, 'red'), await png(8, 8, 'blue')]
    const data = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer()
    const { body } = await upload(data)
    expect((await fetched(w.anonymous, body.avatar_url)).data).toEqual(data)
  })

  test('up to 4096 pixels of each side, though it fills the memory when it is unpacked', async () => {
    const bomb = black(4096, 4096)
    expect(bomb.length).toBeLessThan(20_000)
    expect((await upload(bomb)).status).toBe(200)
  })

  test('with a second meaning that a file may have, which no browser looks for', async () => {
    const data = Buffer.concat([await png(), script])
    const { status, body } = await upload(data, { filename: 'x.html', type: 'text/html' })
    expect(status).toBe(200)
    const kept = await fetched(w.anonymous, body.avatar_url)
    expect(kept.data).toEqual(data)
    expect(Object.fromEntries(kept.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename="avatar.png"',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
  })
})

describe('an avatar that is made anew, where the setting says so', () => {
  beforeAll(() => w.root.put('/application/settings', { reencode_avatars: true }))
  afterAll(() => w.root.put('/application/settings', { reencode_avatars: false }))

  test.each(['png', 'jpeg', 'gif', 'webp'] as const)('is a PNG, from %s too', async (format) => {
    const { body } = await upload(await picture(20, 10).toFormat(format).toBuffer())
    const kept = await fetched(w.anonymous, body.avatar_url)
    expect(kept.headers.get('content-type')).toBe('image/png')
    expect(await sharp(kept.data).metadata()).toMatchObject({ format: 'png', width: 20, height: 10 })
  })

  test('is small: no side over 256 pixels, its shape as it was', async () => {
    const { body } = await upload(await png(1000, 500))
    const { data } = await fetched(w.anonymous, body.avatar_url)
    expect(await sharp(data).metadata()).toMatchObject({ width: 256, height: 128 })
  })

  test('has lost the second meaning that a file may have', async () => {
    const { status, body } = await upload(Buffer.concat([await png(), script]))
    expect(status).toBe(200)
    expect((await fetched(w.anonymous, body.avatar_url)).data.includes(script)).toBe(false)
  })

  test('stands upright by itself', async () => {
    const photo = await picture(40, 20).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const { body } = await upload(photo)
    const { data } = await fetched(w.anonymous, body.avatar_url)
    const kept = await sharp(data).metadata()
    expect([kept.width, kept.height, kept.orientation]).toEqual([20, 40, undefined])
  })
})

describe('an avatar is refused', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'

  test.each([
    ['text', Buffer.from('hello')],
    ['SVG', Buffer.from(svg)],
    ['SVG with a declaration', Buffer.from(`<?xml version="1.0"?>${svg}`)],
    ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['PDF', Buffer.from('%PDF-1.7\n')],
    ['ZIP', Buffer.from('PK\x03\x04 and more of it, as long as it takes')],
    ['one byte', Buffer.alloc(1)],
    ['zeros', Buffer.alloc(1000)],
  ])('as %s', async (_, data) => {
    const { status, body } = await upload(data)
    expect([status, body]).toEqual([400, notSupported])
  })

  test.each(['tiff', 'avif'] as const)('as %s, which other pages do not show', async (format) => {
    const data = await picture().toFormat(format).toBuffer()
    const { status, body } = await upload(data)
    expect([status, body]).toEqual([400, notSupported])
  })

  test('above 200 KB', async () => {
    const noise = await sharp({
      create: {
        width: 400,
        height: 400,
        channels: 3,
        background: 'black',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .png()
      .toBuffer()
    expect(noise.length).toBeGreaterThan(200 * 1024)
    const { status, body } = await upload(noise)
    expect([status, body.message]).toEqual([400, { avatar: ['is too big (maximum is 200 KB)'] }])
  })

  test.each([
    ['a long line', 60_000, 1],
    ['a long column', 1, 60_000],
    ['a square', 4097, 4097],
  ])('with more than 4096 pixels of a side: %s', async (_, width, height) => {
    const { status, body } = await upload(black(width, height))
    expect([status, body]).toEqual([400, refusal('is too large (maximum is 4096 by 4096 pixels)')])
  })

  test('when it says sides that it does not have', async () => {
    const empty = Buffer.alloc(0)
    for (const [width, height] of [
      [2 ** 31 - 1, 2 ** 31 - 1],
      [0, 0],
      [2 ** 32 - 1, 1],
      [100, 100],
    ] as const) {
      const data = pngOf([
        ['IHDR', ihdr(width, height)],
        ['IDAT', deflateSync(Buffer.alloc(10))],
        ['IEND', empty],
      ])
      const { status, body } = await upload(data)
      expect([status, Object.keys(body.message)]).toEqual([400, ['avatar']])
    }
  })

  test.each(['png', 'jpeg', 'gif', 'webp'] as const)('when it is a truncated %s', async (format) => {
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
    const made = sharp({ create: { width: 90, height: 90, channels: 3, background: 'black', noise } })
    const whole = await made.toFormat(format).toBuffer()
    for (const part of [0.1, 0.5, 0.9]) {
      const { status, body } = await upload(whole.subarray(0, Math.floor(whole.length * part)))
      expect([status, body]).toEqual([400, broken])
    }
  })

  test('when bits in it are wrong, or taken for what they are', async () => {
    const whole = await picture(50, 50).jpeg().toBuffer()
    for (let at = 4; at < whole.length; at += 29) {
      const data = Buffer.from(whole)
      data[at] = ~(data[at] ?? 0) & 0xff
      expect([200, 400]).toContain((await upload(data)).status)
    }
  })
})

test('a text that is packed a thousand times smaller is not unpacked into the memory', async () => {
  const zeros = deflateSync(Buffer.alloc(100 * 1024 * 1024), { level: 9 })
  const packed = Buffer.concat([Buffer.from('Comment\0\0'), zeros])
  const data = pngOf([
    ['IHDR', ihdr(4, 4)],
    ['zTXt', packed],
    ['IDAT', deflateSync(Buffer.alloc(20))],
    ['IEND', Buffer.alloc(0)],
  ])
  expect(data.length).toBeLessThan(200 * 1024)
  const before = process.memoryUsage().rss
  expect([200, 400]).toContain((await upload(data)).status)
  expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1024 * 1024)
})

describe('a multipart body that is wrong is 400, not a server error', () => {
  /** Sends bytes as they are. */
  function send(contentType: string, body: Buffer | string): Promise<number> {
    const headers = { ...me.headers, 'content-type': contentType }
    return new Promise((resolve, reject) => {
      const req = request(`${w.url}/api/v4/user/avatar`, { method: 'PUT', headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
      })
      req.on('error', reject).end(body)
    })
  }
  const part = (name: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"; filename="x.png"\r\ncontent-type: image/png\r\n\r\n`

  test.each([
    ['no boundary', 'multipart/form-data', 'x'],
    ['another boundary', 'multipart/form-data; boundary=other', `${part('avatar')}x\r\n--b--\r\n`],
    ['an end that never comes', 'multipart/form-data; boundary=b', `${part('avatar')}x`],
    [
      'a header that never ends',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="avatar',
    ],
    ['nothing', 'multipart/form-data; boundary=b', ''],
    ['no part', 'multipart/form-data; boundary=b', '--b--\r\n'],
    ['files in a list', 'multipart/form-data; boundary=b', `${part('avatar[]')}x\r\n--b--\r\n`],
    ['a file inside a hash', 'multipart/form-data; boundary=b', `${part('avatar[data]')}x\r\n--b--\r\n`],
    ['another name', 'multipart/form-data; boundary=b', `${part('picture')}x\r\n--b--\r\n`],
  ])('%s', async (_, contentType, body) => {
    expect(await send(contentType, body)).toBe(400)
  })

  test('a body of many megabytes is 413', async () => {
    const body = Buffer.concat([Buffer.from(part('avatar')), Buffer.alloc(9 * 1024 * 1024)])
    const status = await send('multipart/form-data; boundary=b', body).catch(() => 413)
    expect(status).toBe(413)
  })
})
