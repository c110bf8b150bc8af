import { describe, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { type Actor, type Place, w } from '#test/world.ts'

const by = (secret: string) => w.anonymous.with({ 'private-token': secret })
const works = async (secret: string) => (await by(secret).get('/version')).status === 200

const kinds = ['project', 'group'] as const
type Kind = (typeof kinds)[number]
const makers = { project: () => w.project(), group: () => w.group() }
const baseOf = (kind: Kind, { id }: { id: number }) => `/${kind}s/${id}/access_tokens`

async function made(kind: Kind, place: Place, given: object = {}, as: Actor = place.owner) {
  const base = baseOf(kind, place)
  const { body } = await as.post(base, { name: 'robot', scopes: ['api'], ...given })
  const token: { id: number; user_id: number; token: string } = body
  return { ...token, base, path: `${base}/${token.id}`, client: by(token.token) }
}

const isMember = async (kind: Kind, place: Place, bot: number) =>
  (await place.owner.get(`/${kind}s/${place.id}/members/${bot}`)).status === 200

describe.each(kinds)('POST /%ss/:id/access_tokens/:token_id/rotate', (kind) => {
  test('gives the same bot a new secret, and ends the old one in the same moment', async () => {
    w.clock.hold('2025-02-01T00:00:00Z')
    const place = await makers[kind]()
    const old = await made(kind, place, { access_level: 30, expires_at: '2025-03-01', description: 'why' })
    const { status, body } = await place.owner.post(`${old.path}/rotate`, { expires_at: '2025-05-01' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      name: 'robot',
      description: 'why',
      user_id: old.user_id,
      access_level: 30,
      scopes: ['api'],
      expires_at: '2025-05-01',
      resource_id: place.id,
      token: expect.stringMatching(/^glpat-/),
    })
    expect(body.id).not.toBe(old.id)
    expect([await works(old.token), await works(body.token)]).toEqual([false, true])
    expect((await place.owner.get(old.path)).body).toMatchObject({ revoked: true, active: false })
    const member = await place.owner.get(`/${kind}s/${place.id}/members/${old.user_id}`)
    expect(member.body).toMatchObject({ access_level: 30, expires_at: '2025-05-01' })
    expect((await by(body.token).get(`/${kind}s/${place.id}`)).status).toBe(200)
  })

  test('without a day: a week, as on every server where tokens must expire', async () => {
    w.clock.hold('2025-02-01T00:00:00Z')
    const place = await makers[kind]()
    const old = await made(kind, place)
    expect((await place.owner.post(`${old.path}/rotate`)).body.expires_at).toBe('2025-02-08')
  })

  test('400 for a day that is past or too far: nothing is rotated', async () => {
    w.clock.hold('2025-02-01T00:00:00Z')
    const place = await makers[kind]()
    const old = await made(kind, place)
    for (const expires_at of ['2025-02-01', '2026-02-02', 'never']) {
      const { status } = await place.owner.post(`${old.path}/rotate`, { expires_at })
      expect([expires_at, status]).toEqual([expires_at, 400])
    }
    expect(await works(old.token)).toBe(true)
  })

  test('401 for a token that is not there, 404 for administrators', async () => {
    const [place, other] = [await makers[kind](), await makers[kind]()]
    const elsewhere = await made(kind, other)
    for (const id of [999_999_999, elsewhere.id]) {
      const path = `${baseOf(kind, place)}/${id}/rotate`
      expect(await place.owner.post(path)).toMatchObject({
        status: 401,
        body: { message: '401 Unauthorized' },
      })
      expect(await w.root.post(path)).toMatchObject({
        status: 404,
        body: { message: `404 ${kind} Access Token Not Found` },
      })
    }
    expect(await works(elsewhere.token)).toBe(true)
  })

  test('401 for an expired token, which ends nothing', async () => {
    w.clock.hold('2025-02-01T00:00:00Z')
    const place = await makers[kind]()
    const old = await made(kind, place, { expires_at: '2025-02-10' })
    w.clock.hold('2025-02-10T00:00:00Z')
    expect((await place.owner.post(`${old.path}/rotate`)).status).toBe(401)
    expect((await place.owner.get(old.path)).body).toMatchObject({ revoked: false, active: false })
  })

  test('401 for a revoked token, and its family ends with the membership of the bot', async () => {
    const place = await makers[kind]()
    const first = await made(kind, place)
    const second = (await place.owner.post(`${first.path}/rotate`)).body
    const third = (await place.owner.post(`${first.base}/${second.id}/rotate`)).body
    const unrelated = await made(kind, place)
    expect([await works(third.token), await isMember(kind, place, first.user_id)]).toEqual([true, true])
    expect((await place.owner.post(`${first.path}/rotate`)).status).toBe(401)
    expect([await works(third.token), await isMember(kind, place, first.user_id)]).toEqual([false, false])
    expect(await works(unrelated.token)).toBe(true)
    const facts = await w.db
      .selectFrom('facts')
      .select('name')
      .where('target_type', '=', 'AccessToken')
      .where('target_id', 'in', [first.id, second.id, third.id])
      .orderBy('id')
      .execute()
    expect(facts.map(({ name }) => name)).toEqual([
      'token created',
      'token rotated',
      'token rotated',
      'token revoked',
      'token reuse refused',
    ])
  })

  test('401 for members with too low a role, and for a token of the place that is not its own', async () => {
    const place = await makers[kind]()
    const old = await made(kind, place)
    const other = await made(kind, place, { access_level: 50 })
    for (const client of [place.developer, place.guest, other.client]) {
      expect((await client.post(`${old.path}/rotate`)).status).toBe(401)
    }
    expect((await place.stranger.post(`${old.path}/rotate`)).status).toBe(404)
    expect((await place.anonymous.post(`${old.path}/rotate`)).status).toBe(401)
    expect(await works(old.token)).toBe(true)
  })

  test('405 for a token of another kind, where the caller knows of it; else 401', async () => {
    const place = await makers[kind]()
    const [mine, hers] = [await w.token(place.owner), await w.token(place.guest)]
    const rotate = (as: Client, id: number) => as.post(`${baseOf(kind, place)}/${id}/rotate`)
    expect(await rotate(place.owner, mine.id)).toMatchObject({
      status: 405,
      body: { message: '405 Method Not Allowed' },
    })
    expect((await rotate(place.owner, hers.id)).status).toBe(401)
    expect((await rotate(w.root, hers.id)).status).toBe(405)
    const away =
      kind === 'project' ? await made('group', await w.group()) : await made('project', await w.project())
    expect((await rotate(w.root, away.id)).status).toBe(405)
    expect((await w.root.post(`/personal_access_tokens/${away.id}/rotate`)).status).toBe(405)
  })
})

test('400 for a token with a level above the own: its secret would be theirs', async () => {
  const place = await w.project()
  const above = await made('project', place, { access_level: 50 })
  const refused = await place.maintainer.post(`${above.path}/rotate`)
  expect([refused.status, refused.body.message]).toEqual([
    400,
    '400 Bad request - the token has a level above your own',
  ])
  expect(await works(above.token)).toBe(true)
  expect((await place.maintainer.delete(above.path)).status).toBe(204)
})

describe.each(kinds)('POST /%ss/:id/access_tokens/self/rotate', (kind) => {
  test('with the scope api or self_rotate, whatever the level: else 403', async () => {
    const place = await makers[kind]()
    for (const scope of ['api', 'self_rotate']) {
      const old = await made(kind, place, { scopes: [scope], access_level: 10 })
      const { status, body } = await old.client.post(`${old.base}/self/rotate`)
      expect([status, body.scopes, body.user_id]).toEqual([200, [scope], old.user_id])
      expect([await works(old.token), await isMember(kind, place, old.user_id)]).toEqual([false, true])
    }
    const narrow = await made(kind, place, { scopes: ['read_api'] })
    expect(await narrow.client.post(`${narrow.base}/self/rotate`)).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'api self_rotate' },
    })
    // By its id it is the same token.
    const byId = await made(kind, place, { access_level: 10 })
    expect((await byId.client.post(`${byId.path}/rotate`)).status).toBe(200)
  })

  test('405 with a personal token, a session, or one of the other kind; 401 in another place', async () => {
    const place = await makers[kind]()
    const path = `${baseOf(kind, place)}/self/rotate`
    const session = await w.session(place.owner)
    for (const client of [place.owner, w.root, session.client])
      expect((await client.post(path)).status).toBe(405)
    const open = {
      project: () => w.project({ visibility: 'public' }),
      group: () => w.group({ visibility: 'public' }),
    }
    const { client, token } = await made(kind, place)
    expect((await client.post(`${baseOf(kind, await open[kind]())}/self/rotate`)).status).toBe(401)
    expect(await works(token)).toBe(true)
  })

  test('with a secret that was replaced ends the family', async () => {
    const place = await makers[kind]()
    const { base, client, user_id } = await made(kind, place)
    const { body } = await client.post(`${base}/self/rotate`)
    // Merely using it does not.
    expect((await client.get(`${base}/self`)).status).toBe(401)
    expect(await works(body.token)).toBe(true)
    expect(await client.post(`${base}/self/rotate`)).toMatchObject({
      status: 401,
      body: { error: 'invalid_token' },
    })
    expect([await works(body.token), await isMember(kind, place, user_id)]).toEqual([false, false])
  })
})

test('of 50 rotations at the same time, over two nodes, one wins and no token is left', async () => {
  const place = await w.project()
  const node = await w.another()
  try {
    const old = await made('project', place)
    const there = new Client(node.url, place.owner.headers)
    const itself = new Client(node.url, old.client.headers)
    const ways = [
      () => place.owner.post(`${old.path}/rotate`),
      () => there.post(`${old.path}/rotate`),
      () => old.client.post(`${old.base}/self/rotate`),
      () => itself.post(`${old.base}/self/rotate`),
      () => place.maintainer.post(`${old.path}/rotate`),
    ]
    const answers = await Promise.all(Array.from({ length: 10 }, () => ways.map((rotate) => rotate())).flat())
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 401)).toHaveLength(49)
    const winner = answers.find(({ status }) => status === 200)?.body
    for (const base of [w.url, node.url]) {
      for (const secret of [old.token, winner.token])
        expect((await new Client(base, { 'private-token': secret }).get('/version')).status).toBe(401)
    }
    const family = await place.owner.get(`${old.base}?state=active`)
    expect([family.body, await isMember('project', place, old.user_id)]).toEqual([[], false])
  } finally {
    await node.stop()
  }
}, 180_000)

test('rotation and revocation at the same time leave what one after the other would', async () => {
  const place = await w.group()
  for (let round = 0; round < 5; round += 1) {
    const old = await made('group', place)
    const [rotated, revoked] = await Promise.all([
      place.owner.post(`${old.path}/rotate`),
      place.owner.delete(old.path),
    ])
    expect(revoked.status).toBe(204)
    expect([200, 401]).toContain(rotated.status)
    // A token that was rotated first goes on under its new id.
    const goesOn = rotated.status === 200
    expect(await isMember('group', place, old.user_id)).toBe(goesOn)
    if (goesOn) expect(await works(rotated.body.token)).toBe(true)
  }
})
