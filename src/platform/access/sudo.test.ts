import { describe, expect, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { unique, w } from '#test/world.ts'

const actsAs = async (client: Client, path = '', headers: Record<string, string> = {}) => {
  const made = { name: unique('token'), scopes: ['self_rotate'] }
  const { status, body } = await client.post(`/user/personal_access_tokens${path}`, made, { headers })
  return status === 201 ? body.user_id : body
}

describe('sudo', () => {
  test('acts as the user by id or username, whatever its letter case, with their rights', async () => {
    const user = await w.user({ username: unique('Mixed.Case') })
    const lower = user.username.toLowerCase()
    for (const name of [String(user.id), user.username, lower, lower.toUpperCase()]) {
      expect(await actsAs(w.root, `?sudo=${name}`)).toBe(user.id)
      expect(await actsAs(w.root, '', { sudo: name })).toBe(user.id)
    }
    const { body } = await w.root.post('/user/personal_access_tokens', {
      name: 'x',
      scopes: ['self_rotate'],
      sudo: user.id,
    })
    expect(body.user_id).toBe(user.id)
    expect((await w.root.get('/application/settings', { headers: { sudo: lower } })).status).toBe(403)
  })

  test('by the parameter when there is a header, too', async () => {
    const [inQuery, inHeader] = [await w.user(), await w.user()]
    expect(await actsAs(w.root, `?sudo=${inQuery.id}`, { sudo: inHeader.username })).toBe(inQuery.id)
  })

  test('is refused without valid credentials, also where anonymous callers are heard', async () => {
    const { id } = await w.project({ visibility: 'public' })
    const refused = { status: 401, body: { message: '401 Unauthorized' } }
    expect(await w.anonymous.get(`/projects/${id}/labels?sudo=root`)).toMatchObject(refused)
    expect(await w.anonymous.get('/version', { headers: { sudo: 'root' } })).toMatchObject(refused)
    const wrong = w.anonymous.with({ 'private-token': 'wrong', sudo: 'root' })
    expect(await wrong.get('/version')).toMatchObject(refused)
  })

  test('is for administrators, which is checked before the scope', async () => {
    const user = await w.user()
    const narrow = (await w.token(user, ['read_user'])).client
    const message = '403 Forbidden - Must be admin to use sudo'
    expect(await user.get('/version?sudo=root')).toMatchObject({ status: 403, body: { message } })
    expect(await narrow.get('/version?sudo=nobody')).toMatchObject({ status: 403, body: { message } })
  })

  test('needs a personal token with the scope sudo, which is checked before the user', async () => {
    const admin = await w.user({ admin: true })
    const refused = await admin.get('/version?sudo=nobody-at-all')
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({ error: 'insufficient_scope', scope: 'sudo' })
    const { id, client } = await w.token(admin, ['api', 'sudo'])
    expect((await client.get('/version?sudo=root')).status).toBe(200)
    await w.db
      .updateTable('access_tokens')
      .set({ kind: 'project', namespace_id: 1, access_level: 40 })
      .where('id', '=', id)
      .execute()
    expect((await client.get('/version?sudo=root')).body.message).toBe(
      '403 Forbidden - Must be authenticated using an OAuth or personal access token to use sudo',
    )
  })

  test('names a user that is not there', async () => {
    for (const name of ['nobody', '999999999', '99999999999999999999', '0', '-1']) {
      expect(await w.root.get(`/version?sudo=${name}`)).toMatchObject({
        status: 404,
        body: { message: `404 User with ID or username '${name}' Not Found` },
      })
    }
  })

  test('does not bring back who is blocked', async () => {
    const user = await w.user()
    await w.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute()
    expect((await w.root.get(`/version?sudo=${user.id}`)).status).toBe(403)
  })

  test('gives no scope that the token lacks', async () => {
    const { client } = await w.token(w.root, ['sudo'])
    const user = await w.user()
    expect((await client.get(`/version?sudo=${user.id}`)).body).toMatchObject({
      error: 'insufficient_scope',
      scope: 'api read_api read_user ai_features',
    })
  })
})
