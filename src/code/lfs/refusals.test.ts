import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { findKey } from '#code/git-ssh/ssh-keys.ts'
import { newSshKey } from '#test/ssh-keys.ts'
import { type Place, unique, w } from '#test/world.ts'
import { answerOverSsh } from './over-ssh.ts'
import { basicOf, batch, LFS_TYPE, lfsObject, type LfsObject, upload } from './test-support.ts'

// The whole of what a client gets that is refused. Some clients show the message, and others read the status alone.

let place: Place
beforeAll(async () => {
  place = await w.project()
})

const MEGABYTE = 1024 * 1024
const OBJECT = `The object is larger than 1 MB, the maximum on this server.`
const PROJECT = 'The LFS objects of this project would take more than 1 MB, the maximum on this server.'

/** A refusal as all of these are written. */
const refused = (status: number, message: string) => ({
  status,
  type: LFS_TYPE,
  body: { message, request_id: expect.stringMatching(/^\S+$/) },
})

const seen = async (answer: Response) => ({
  status: answer.status,
  type: answer.headers.get('content-type'),
  body: JSON.parse(await answer.text()),
})

const siteOf = ({ fullPath }: Place) => `${w.url}/${fullPath}.git`

/** Sends bytes for an object, at once or in pieces whose number nobody announces. */
async function put(object: Pick<LfsObject, 'oid' | 'size'>, bytes: Buffer, isChunked = false) {
  const body = new Uint8Array(bytes)
  const pieces = new ReadableStream({
    start(to) {
      to.enqueue(body)
      to.close()
    },
  })
  const answer = await fetch(`${siteOf(place)}/gitlab-lfs/objects/${object.oid}/${object.size}`, {
    method: 'PUT',
    headers: basicOf(place.developer.token),
    ...(isChunked ? { body: pieces, duplex: 'half' } : { body }),
  })
  return seen(answer)
}

describe('with limits', () => {
  beforeAll(() => w.root.put('/application/settings', { max_lfs_object_size: 1, max_lfs_project_size: 1 }))
  afterAll(() => w.root.put('/application/settings', { max_lfs_object_size: 5_120, max_lfs_project_size: 0 }))

  test('an object that is larger is refused by itself in a batch, and before its bytes in an upload', async () => {
    const large = lfsObject(Buffer.alloc(MEGABYTE + 1, unique('a')))
    await w.root.put('/application/settings', { max_lfs_project_size: 0 })
    const offered = await batch(place.fullPath, place.developer.token, 'upload', [large])
    expect([offered.status, offered.body.objects]).toEqual([
      200,
      [{ oid: large.oid, size: large.size, error: { code: 422, message: OBJECT } }],
    ])
    expect(await put(large, large.bytes)).toEqual(refused(413, OBJECT))
    // Whoever announces so much need not send it.
    expect(await put({ ...large, size: 2 ** 50 }, Buffer.from('x'))).toEqual(refused(413, OBJECT))
    await w.root.put('/application/settings', { max_lfs_project_size: 1 })
  })

  test('a project that is full takes no more', async () => {
    const [first, second] = [lfsObject(Buffer.alloc(MEGABYTE, unique('b'))), lfsObject(unique('c'))]
    await upload(place.fullPath, place.developer.token, first)
    const answer = await fetch(`${siteOf(place)}/info/lfs/objects/batch`, {
      method: 'POST',
      headers: basicOf(place.developer.token),
      body: JSON.stringify({ operation: 'upload', objects: [{ oid: second.oid, size: second.size }] }),
    })
    expect(await seen(answer)).toEqual(refused(507, PROJECT))
    expect(await put(second, second.bytes)).toEqual(refused(507, PROJECT))
  })
})

test.each([
  ['more bytes', 'abcd', 3, 413, 'the file is larger than 3 bytes'],
  ['fewer bytes', 'abcd', 5, 422, 'The object does not have the announced size.'],
  ['no bytes', '', 4, 422, 'The object does not have the announced size.'],
])('%s than announced are refused, sent at once or in pieces', async (_, sent, size, status, message) => {
  const object = lfsObject(sent)
  for (const isChunked of [false, true])
    expect(await put({ oid: object.oid, size }, object.bytes, isChunked)).toEqual(refused(status, message))
})

test('bytes with another digest are refused', async () => {
  const object = lfsObject(unique('right'))
  const message = 'The bytes that came do not have the announced digest.'
  for (const isChunked of [false, true])
    expect(await put(object, Buffer.alloc(object.size), isChunked)).toEqual(refused(422, message))
})

describe('a credential that git-lfs-authenticate gave', () => {
  const UNKNOWN = 'This credential for LFS is unknown or has expired. Try again: git asks for another one.'

  /** A credential for uploads, and what it is worth. */
  async function given() {
    const { services } = w.running
    const values = { title: unique('key'), key: newSshKey() }
    const { id } = (await place.developer.post('/user/keys', values)).body
    const key = await findKey(services.db, { id })
    if (key === undefined) throw new Error('there is no such key')
    const asked = { kind: 'lfs', path: place.fullPath, operation: 'upload' } as const
    const said = await answerOverSsh(services, key, asked, { ip: '127.0.0.1', requestId: 'x' })
    const { header }: { header: { Authorization: string } } = JSON.parse(said)
    const ask = (authorization = header.Authorization) =>
      fetch(`${siteOf(place)}/info/lfs/objects/batch`, {
        method: 'POST',
        headers: { authorization },
        body: JSON.stringify({ operation: 'upload', objects: [] }),
      })
    return { id, header, ask }
  }

  test('ends after half an hour', async () => {
    onTestFinished(() => w.clock.release())
    w.clock.hold('2030-01-01T10:00:00Z')
    const { ask } = await given()
    w.clock.hold('2030-01-01T10:29:59Z')
    expect((await ask()).status).toBe(200)
    w.clock.hold('2030-01-01T10:30:00Z')
    const answer = await ask()
    expect(answer.headers.get('lfs-authenticate')).toBe('Basic realm="Forgelet", charset="UTF-8"')
    expect(await seen(answer)).toEqual(refused(401, UNKNOWN))
  })

  test('is worth nothing when it was changed, or its key is gone', async () => {
    const { id, header, ask } = await given()
    const [, password = ''] = Buffer.from(header.Authorization.slice('Basic '.length), 'base64')
      .toString()
      .split(':')
    const other = password.replace(/\.(\d+)\.git/, (_, project) => `.${Number(project) + 1}.git`)
    const changed = `Basic ${Buffer.from(`lfs:${other}`).toString('base64')}`
    expect(await seen(await ask(changed))).toEqual(refused(401, UNKNOWN))
    expect((await ask()).status).toBe(200)
    await place.developer.delete(`/user/keys/${id}`)
    expect(await seen(await ask())).toEqual(refused(401, UNKNOWN))
  })

  test('is worth nothing to somebody who was blocked, or lost the role', async () => {
    const { ask } = await given()
    const member = `/projects/${place.id}/members/${place.developer.id}`
    await place.owner.put(member, { access_level: 20 })
    expect(await seen(await ask())).toEqual(refused(403, 'You are not allowed to push code to this project.'))
    await place.owner.put(member, { access_level: 30 })
    expect((await ask()).status).toBe(200)
    await w.root.post(`/users/${place.developer.id}/block`)
    expect(await seen(await ask())).toEqual(refused(401, 'Your account has been blocked.'))
    await w.root.post(`/users/${place.developer.id}/unblock`)
  })
})
