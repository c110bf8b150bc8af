import { describe, expect, test } from 'vitest'
import { changeSettings } from '#platform/settings/change-settings.ts'
import { w } from '#test/world.ts'

async function impersonated() {
  const user = await w.user()
  const path = `/users/${user.id}/impersonation_tokens`
  const { body } = await w.root.post(path, { name: 'act', description: 'why', scopes: ['api'] })
  return { user, path, body, client: w.anonymous.with({ 'private-token': body.token }) }
}

describe('impersonation tokens', () => {
  test('act as the user', async () => {
    const { user, body, client } = await impersonated()
    expect(body).toMatchObject({ name: 'act', description: 'why', impersonation: true, user_id: user.id })
    expect((await client.get('/personal_access_tokens')).body[0].user_id).toBe(user.id)
  })

  test('are listed by state and shown without secret', async () => {
    const { user, path, body } = await impersonated()
    const second = await w.root.post(path, { name: 'second', scopes: ['api'] })
    await w.root.delete(`${path}/${body.id}`)
    const ids = async (query: string) =>
      (await w.root.get(path + query)).body.map(({ id }: { id: number }) => id)
    expect(await ids('')).toEqual([body.id, second.body.id])
    expect(await ids('?state=active')).toEqual([second.body.id])
    expect(await ids('?state=inactive')).toEqual([body.id])
    const one = await w.root.get(`${path}/${body.id}`)
    expect(one.body).toMatchObject({ id: body.id, impersonation: true, revoked: true, user_id: user.id })
    expect(one.body).not.toHaveProperty('token')
  })

  test('end at once when revoked', async () => {
    const { path, body, client } = await impersonated()
    expect((await w.root.delete(`${path}/${body.id}`)).status).toBe(204)
    expect((await client.get('/version')).status).toBe(401)
  })

  test('are found below their user and their kind only', async () => {
    const { path, body } = await impersonated()
    const other = await w.user()
    const personal = await w.token(other)
    const missing = { status: 404, body: { message: '404 Impersonation Token Not Found' } }
    for (const place of [
      `/users/${other.id}/impersonation_tokens/${body.id}`,
      `/users/${other.id}/impersonation_tokens/${personal.id}`,
      `${path}/999999999`,
    ]) {
      expect(await w.root.get(place)).toMatchObject(missing)
      expect(await w.root.delete(place)).toMatchObject(missing)
    }
    const nobody = { status: 404, body: { message: '404 User Not Found' } }
    expect(await w.root.get('/users/999999999/impersonation_tokens')).toMatchObject(nobody)
    expect(await w.root.get(`/users/999999999/impersonation_tokens/${body.id}`)).toMatchObject(nobody)
  })

  test('neither work nor are made while impersonation is switched off', async () => {
    const { path, client } = await impersonated()
    const { settingsView } = w.running.services
    const allow = async (impersonation_enabled: boolean) => {
      await w.write((tx) => changeSettings(tx, { impersonation_enabled }))
      await settingsView.reload()
    }
    await allow(false)
    try {
      const refused = await client.get('/version')
      const because = 'Token is an impersonation token but impersonation was disabled.'
      expect(refused.status).toBe(401)
      expect(refused.body).toEqual({
        message: '401 Unauthorized',
        error: 'invalid_token',
        error_description: because,
      })
      expect(refused.headers.get('www-authenticate')).toContain(because)
      expect((await w.root.post(path, { name: 'x', scopes: ['api'] })).status).toBe(403)
      expect((await w.root.get(path)).status).toBe(200)
    } finally {
      await allow(true)
    }
    expect((await client.get('/version')).status).toBe(200)
  })
})
