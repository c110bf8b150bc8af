import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'

const account = (given: object = {}) => {
  const username = unique('account')
  return w.root.post('/users', {
    username,
    name: username,
    email: `${username}@example.com`,
    force_random_password: true,
    ...given,
  })
}

const shown = (provider: string, extern_uid: string) => ({ provider, extern_uid, saml_provider_id: null })

describe('identities of users at other providers', () => {
  test('are kept when an account is made or changed, one for each provider, and shown to administrators', async () => {
    const [uid, other] = [unique('uid'), unique('uid')]
    const { status, body } = await account({ provider: 'saml', extern_uid: uid })
    expect({ status, body }).toMatchObject({ status: 201, body: { identities: [shown('saml', uid)] } })
    const path = `/users/${body.id}`
    await w.root.put(path, { provider: 'ldapmain', extern_uid: uid })
    const { body: changed } = await w.root.put(path, { provider: 'saml', extern_uid: other })
    expect(changed.identities).toEqual([shown('ldapmain', uid), shown('saml', other)])
    expect((await w.root.get(path)).body.identities).toEqual(changed.identities)
    expect((await (await w.user()).get(path)).body).not.toHaveProperty('identities')
    expect((await w.root.put(path, { bio: 'x' })).body.identities).toEqual(changed.identities)
  })

  test('are shown to the user, too', async () => {
    const user = await w.user()
    const uid = unique('uid')
    await w.root.put(`/users/${user.id}`, { provider: 'saml', extern_uid: uid })
    expect((await user.get('/user')).body.identities).toEqual([shown('saml', uid)])
  })

  test('are of one user only, whatever the case of their letters', async () => {
    const uid = unique('uid')
    const identity = { provider: 'saml', extern_uid: uid }
    const { body } = await account(identity)
    const refused = {
      status: 400,
      body: { message: { 'identities.extern_uid': ['has already been taken'] } },
    }
    const again = { ...identity, extern_uid: uid.toUpperCase() }
    const username = unique('second')
    expect(await account({ ...again, username })).toMatchObject(refused)
    expect((await w.root.get(`/users?username=${username}`)).body).toEqual([])
    const other = await w.user()
    expect(await w.root.put(`/users/${other.id}`, again)).toMatchObject(refused)
    expect((await w.root.put(`/users/${body.id}`, again)).body.identities).toEqual([
      shown('saml', uid.toUpperCase()),
    ])
  })

  test('need both parts; blank ones ask for nothing', async () => {
    expect((await account({ provider: 'saml' })).body.message).toEqual({ extern_uid: ["can't be blank"] })
    expect((await account({ extern_uid: 'x' })).body.message).toEqual({ provider: ["can't be blank"] })
    expect((await account({ provider: '', extern_uid: '' })).body.identities).toEqual([])
    expect((await account({ provider: 'x'.repeat(256), extern_uid: 'x' })).body.error).toBe(
      'provider is too long (maximum is 255 characters)',
    )
  })

  test('are what administrators find users by', async () => {
    const uid = unique('uid')
    const { body } = await account({ provider: 'saml', extern_uid: uid })
    const list = async (query: string, by = w.root) => {
      const answer = await by.get(`/users?per_page=1&${query}`)
      return answer.status === 200 ? answer.body.map(({ id }: { id: number }) => id) : answer.body.error
    }
    expect(await list(`provider=saml&extern_uid=${uid.toUpperCase()}`)).toEqual([body.id])
    expect(await list(`provider=ldapmain&extern_uid=${uid}`)).toEqual([])
    expect(await list(`extern_uid=${uid}`)).toBe('provider, extern_uid provide all or none of parameters')
    const user = await w.user()
    expect(await list(`provider=saml&extern_uid=${uid}&username=${user.username}`, user)).toEqual([user.id])
  })

  test('are deleted one by one', async () => {
    const { body } = await account({ provider: 'saml', extern_uid: unique('uid') })
    const path = `/users/${body.id}/identities`
    expect((await w.root.delete(`${path}/ldapmain`)).body).toEqual({ message: '404 Identity Not Found' })
    expect((await w.root.delete(`${path}/saml`)).status).toBe(204)
    expect((await w.root.get(`/users/${body.id}`)).body.identities).toEqual([])
    expect((await w.root.delete('/users/999999999/identities/saml')).body.message).toBe('404 User Not Found')
    const facts = await w.db
      .selectFrom('facts')
      .select('details')
      .where('name', '=', 'user identity changed')
      .where('target_id', '=', body.id)
      .orderBy('id')
      .execute()
    expect(facts.map(({ details }) => details)).toMatchObject([
      { provider: 'saml', from: null },
      { provider: 'saml', to: null },
    ])
  })
})
