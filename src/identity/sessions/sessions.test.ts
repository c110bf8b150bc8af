import { describe, expect, test } from 'vitest'
import { endSession } from './end-session.ts'
import { w } from '#test/world.ts'

describe('a session cookie', () => {
  test('reads the API as the user', async () => {
    const user = await w.user()
    const { reader } = await w.session(user)
    expect((await reader.get('/user')).body.id).toBe(user.id)
    expect((await reader.head('/user')).status).toBe(200)
  })

  test('is accepted under the name that other clients send', async () => {
    const user = await w.user()
    const { secret } = await w.session(user)
    const client = w.anonymous.with({ cookie: `other=1; _gitlab_session=${secret}` })
    expect((await client.get('/user')).body.id).toBe(user.id)
  })

  test('writes only together with the CSRF token of the same session', async () => {
    const user = await w.user()
    const { reader, client } = await w.session(user)
    const other = await w.session(user)
    const wanted = { message: 'busy' }
    expect((await reader.put('/user/status', wanted)).status).toBe(401)
    const wrong = reader.with({ 'x-csrf-token': other.csrf })
    expect((await wrong.put('/user/status', wanted)).status).toBe(401)
    expect((await client.put('/user/status', wanted)).status).toBe(200)
  })

  test('does not matter beside a token, which may not be wrong', async () => {
    const [user, other] = [await w.user(), await w.user()]
    const { reader } = await w.session(user)
    expect((await reader.with({ 'private-token': other.token }).get('/user')).body.id).toBe(other.id)
    expect((await reader.with({ 'private-token': 'wrong' }).get('/user')).status).toBe(401)
    expect((await reader.with({ authorization: 'Bearer wrong' }).get('/user')).status).toBe(401)
  })

  test('cannot be used for sudo, by administrators neither', async () => {
    const admin = await w.user({ admin: true })
    const { reader } = await w.session(admin)
    expect(await reader.get(`/user?sudo=${w.root.username}`)).toMatchObject({
      status: 403,
      body: {
        message: '403 Forbidden - Must be authenticated using an OAuth or personal access token to use sudo',
      },
    })
  })

  test('that is unknown or has ended is none: public things are answered, others refused', async () => {
    const user = await w.user()
    const open = await w.project({ visibility: 'public' })
    const { id, ends_at, reader } = await w.session(user)
    const unknown = w.anonymous.with({ cookie: '_service_session=unknown' })
    expect((await unknown.get(`/projects/${open.id}`)).status).toBe(200)
    expect((await unknown.get('/user')).status).toBe(401)
    w.clock.hold(ends_at)
    expect((await reader.get('/user')).status).toBe(401)
    expect((await reader.get(`/projects/${open.id}`)).status).toBe(200)
    w.clock.release()
    expect((await reader.get('/user')).status).toBe(200)
    expect(await w.write((tx) => endSession(tx, user.id, id))).toBe(true)
    expect((await reader.get('/user')).status).toBe(401)
  })

  test('ends when its user is blocked, and does not come back with them', async () => {
    const user = await w.user()
    const { reader } = await w.session(user)
    expect((await w.root.post(`/users/${user.id}/block`)).status).toBe(201)
    expect((await w.root.post(`/users/${user.id}/unblock`)).status).toBe(201)
    expect((await reader.get('/user')).status).toBe(401)
  })

  test('costs one statement, together with the project that is asked for', async () => {
    const place = await w.project()
    const { reader } = await w.session(place.guest)
    const statements = await w.statements(() => reader.get(`/projects/${place.id}/labels`))
    expect(statements).toHaveLength(2)
  })
})
