import { describe, expect, test } from 'vitest'
import { newPoint, newRsaKey, newSshKey, sshKey } from '#test/ssh-keys.ts'
import { type Actor, unique, w } from '#test/world.ts'

const add = (user: Actor, key: string, given: object = {}) =>
  user.post('/user/keys', { title: unique('laptop'), key, ...given })

/** What a refusal says about the key. */
async function refusalOf(user: Actor, key: string, given: object = {}) {
  const { status, body } = await add(user, key, given)
  expect(status).toBe(400)
  return body.message
}

describe('POST /user/keys', () => {
  test('adds a key, and shows the name of its owner instead of the comment', async () => {
    w.clock.hold('2031-01-01T12:00:00Z')
    const user = await w.user({ name: 'Ada  Lovelace' })
    const key = newSshKey('ada@private.example')
    const { status, body } = await user.post('/user/keys', {
      title: 'Laptop',
      key: `\n ${key} \n`,
      expires_at: '2031-06-01',
      usage_type: 'signing',
    })
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        title: 'Laptop',
        key: key.replace('ada@private.example', 'Ada Lovelace (127.0.0.1)'),
        created_at: '2031-01-01T12:00:00.000Z',
        expires_at: '2031-06-01T00:00:00.000Z',
        last_used_at: null,
        usage_type: 'signing',
      },
    ])
    expect((await user.get(`/user/keys/${body.id}`)).body).toEqual(body)
    const { body: plain } = await add(user, newSshKey())
    expect(plain).toMatchObject({ expires_at: null, usage_type: 'auth_and_signing' })
  })

  const point = (curve: '256' | '384' | '521') => sshKey(`ecdsa-sha2-nistp${curve}`, newPoint(curve))
  const application = 'ssh:'
  test.each([
    ['Ed25519', () => newSshKey()],
    ['RSA', () => newRsaKey(2_048)],
    ['ECDSA on P-256', () => point('256')],
    ['ECDSA on P-384', () => point('384')],
    ['ECDSA on P-521', () => point('521')],
    [
      'ECDSA of a security key',
      () => sshKey('sk-ecdsa-sha2-nistp256@openssh.com', [...newPoint('256'), application]),
    ],
    [
      'Ed25519 of a security key',
      () => {
        const bytes = Buffer.from(newSshKey().split(' ')[1] ?? '', 'base64').subarray(-32)
        return sshKey('sk-ssh-ed25519@openssh.com', [bytes, application])
      },
    ],
  ])('takes %s', async (_, make) => {
    expect((await add(await w.user(), make())).status).toBe(201)
  })

  test('takes a key once, whoever added it', async () => {
    const [user, other] = [await w.user(), await w.user()]
    const key = newSshKey()
    await add(user, key)
    const taken = { fingerprint_sha256: ['has already been taken'] }
    expect(await refusalOf(other, key)).toEqual(taken)
    expect(await refusalOf(user, `${key} another comment`)).toEqual(taken)
    const [{ id }] = (await user.get('/user/keys')).body
    await user.delete(`/user/keys/${id}`)
    expect((await add(other, key)).status).toBe(201)
  })

  test('of ten requests at once, one adds the key', async () => {
    const users = await Promise.all(Array.from({ length: 10 }, () => w.user()))
    const key = newSshKey()
    const statuses = await Promise.all(users.map(async (user) => (await add(user, key)).status))
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(9)
  })

  test('refuses what is no safe public key', async () => {
    const user = await w.user()
    const invalid = { key: ['is invalid'] }
    const good = newSshKey()
    const [type = '', base64 = ''] = good.split(' ')
    const [curve, correct] = newPoint('256')
    const beside = Buffer.from(correct)
    beside.writeUInt8(beside.readUInt8(64) ^ 1, 64)
    const modulus = Buffer.alloc(257, 0xff)
    modulus.writeUInt8(0, 0)
    const exponent = Buffer.from([1, 0, 1])
    for (const key of [
      'nonsense',
      type,
      base64,
      `command="ls" ${good}`,
      `ssh-rsa ${base64}`,
      `${type} ${base64}\n${newSshKey()}`,
      `${type} ${base64.replace(/.{8}$/, '')}`,
      `${type} ${base64}AAAA`,
      `${type} ${base64.replace('A', '_')}`,
      `${type} AAAA`,
      sshKey('ssh-ed25519', [Buffer.alloc(31)]),
      sshKey('ssh-ed25519', [Buffer.alloc(32), 'more']),
      sshKey('ssh-unknown', [Buffer.alloc(32)]),
      sshKey('ssh-ed25519-cert-v01@openssh.com', [Buffer.alloc(32)]),
      // A point that is not on its curve, one of another curve, and a compressed one.
      sshKey('ecdsa-sha2-nistp256', [curve, beside]),
      sshKey('ecdsa-sha2-nistp256', newPoint('384')),
      sshKey('ecdsa-sha2-nistp384', newPoint('256')),
      sshKey('ecdsa-sha2-nistp256', [curve, correct.subarray(0, 33)]),
      // Numbers that are negative, and written with needless zeros.
      sshKey('ssh-rsa', [exponent, modulus.subarray(1)]),
      sshKey('ssh-rsa', [exponent, Buffer.concat([Buffer.alloc(1), modulus])]),
      sshKey('ssh-rsa', [Buffer.alloc(0), modulus]),
      '-----BEGIN PUBLIC KEY-----',
    ]) {
      expect([key, await refusalOf(user, key)]).toEqual([key, invalid])
    }
    expect(await refusalOf(user, newRsaKey(1_024))).toEqual({ key: ['must be at least 2048 bits'] })
    expect(await refusalOf(user, sshKey('ssh-dss', ['p', 'q', 'g', 'y']))).toEqual({
      key: [expect.stringContaining('type is forbidden')],
    })
    const past = { expires_at: '2020-01-01' }
    expect(await refusalOf(user, good, past)).toEqual({ key: ['has expired'] })
    expect((await user.get('/user/keys')).body).toEqual([])
  })

  test('refuses parameters that are missing or too long', async () => {
    const user = await w.user()
    expect((await user.post('/user/keys', {})).body.error).toBe('title is missing, key is missing')
    const tooLong = await add(user, `${newSshKey()} ${'x'.repeat(5_000)}`)
    expect([tooLong.status, tooLong.body.error]).toEqual([
      400,
      'key is too long (maximum is 5000 characters)',
    ])
    expect((await add(user, newSshKey(), { usage_type: 'encryption' })).status).toBe(400)
    expect((await add(user, newSshKey(), { title: ' ' })).status).toBe(400)
  })
})

describe('the SSH keys of a user', () => {
  test('are listed in pages, oldest first, for everybody who is signed in', async () => {
    const [user, other] = [await w.user(), await w.user()]
    for (const title of ['one', 'two', 'three']) await add(user, newSshKey(), { title })
    const titles = async (path: string, by: Actor = user) =>
      (await by.get(path)).body.map(({ title }: { title: string }) => title)
    expect(await titles('/user/keys')).toEqual(['one', 'two', 'three'])
    expect(await titles('/user/keys', other)).toEqual([])
    const page = await other.get(`/users/${user.username}/keys?per_page=2`)
    expect([page.body.length, page.headers.get('x-total')]).toEqual([2, '3'])
    expect(await titles(`/users/${user.id}/keys?per_page=2&page=2`, other)).toEqual(['three'])
    const [{ id }] = page.body
    expect((await other.get(`/users/${user.id}/keys/${id}`)).body).toEqual(page.body[0])
    expect((await other.get('/users/nobody-at-all/keys')).body).toEqual({ message: '404 User Not Found' })
    expect((await w.anonymous.get(`/users/${user.id}/keys`)).status).toBe(403)
  })

  test('belong to them alone', async () => {
    const [user, other] = [await w.user(), await w.user()]
    const { id } = (await add(user, newSshKey())).body
    const missing = { status: 404, body: { message: '404 Key Not Found' } }
    expect(await other.get(`/user/keys/${id}`)).toMatchObject(missing)
    expect(await other.delete(`/user/keys/${id}`)).toMatchObject(missing)
    expect(await w.root.get(`/users/${other.id}/keys/${id}`)).toMatchObject(missing)
    expect(await w.root.delete(`/users/${other.id}/keys/${id}`)).toMatchObject(missing)
    expect((await user.delete(`/user/keys/${id}`)).status).toBe(204)
    expect(await user.get(`/user/keys/${id}`)).toMatchObject(missing)
  })

  test('are kept by administrators, too', async () => {
    const user = await w.user({ name: 'Ada' })
    const key = newSshKey()
    const added = await w.root.post(`/users/${user.id}/keys`, { title: 'Desk', key })
    expect([added.status, added.body.key]).toEqual([201, `${key} Ada (127.0.0.1)`])
    expect((await user.get('/user/keys')).body).toEqual([added.body])
    expect((await w.root.delete(`/users/${user.id}/keys/${added.body.id}`)).status).toBe(204)
    expect((await w.root.post('/users/999999999/keys', { title: 'Desk', key })).status).toBe(404)
  })

  test('go with the account at once', async () => {
    const user = await w.user()
    const key = newSshKey()
    const { id } = (await add(user, key)).body
    expect((await w.root.delete(`/users/${user.id}`)).status).toBe(204)
    expect((await w.root.get(`/keys/${id}`)).status).toBe(404)
    expect((await add(await w.user(), key)).status).toBe(201)
  })

  test('can be read with the scope read_user, and added with api alone', async () => {
    const user = await w.user({ scopes: ['read_user'] })
    expect((await user.get('/user/keys')).status).toBe(200)
    expect((await add(user, newSshKey())).status).toBe(403)
  })
})

describe('GET /keys', () => {
  test('finds a key with its owner by id and by each way to write a fingerprint', async () => {
    const user = await w.user()
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINaxT0NTkR0mv8m5T4sQ2Zr+8cEE0hS0WJ0tcqHkGe4Q'
    const { id } = (await add(user, key)).body
    const { body } = await w.root.get(`/keys/${id}`)
    expect(body).toMatchObject({
      id,
      user: { id: user.id, username: user.username, email: expect.any(String) },
    })
    expect(body.deploy_keys_projects).toBeUndefined()
    const { fingerprint, fingerprint_sha256: sha256 } = await w.db
      .selectFrom('ssh_keys')
      .select(['fingerprint', 'fingerprint_sha256'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const found = async (text: string) => (await w.root.get(`/keys?fingerprint=${text}`)).body.id
    for (const text of [
      encodeURIComponent(sha256),
      encodeURIComponent(sha256.slice('SHA256:'.length)),
      // As some clients send it: a literal + is a space.
      sha256,
      fingerprint,
      `MD5:${fingerprint.toUpperCase()}`,
    ]) {
      expect([text, await found(text)]).toEqual([text, id])
    }
  })

  test('refuses what is no fingerprint, and says when nobody has the key', async () => {
    const get = (text: string) => w.root.get(`/keys?fingerprint=${text}`)
    expect((await get('abc')).body.message).toBe(
      '400 Bad request - the fingerprint is neither SHA-256 nor MD5',
    )
    expect((await w.root.get('/keys')).body.error).toBe('fingerprint is missing')
    const nobody = `SHA256:${'A'.repeat(43)}`
    expect(await get(nobody)).toMatchObject({ status: 404, body: { message: '404 Key Not Found' } })
    expect((await w.root.get('/keys/999999999')).status).toBe(404)
  })
})
