import { describe, expect, test } from 'vitest'
import type { Visitor } from '#test/visitor.ts'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'

const PAGE = '/-/user_settings/personal_access_tokens'
const DAY = 86_400_000
const inDays = (count: number) => new Date(Date.now() + count * DAY).toISOString().slice(0, 10)

const make = (visitor: Visitor, fields: Record<string, string> = {}) =>
  visitor.submit(PAGE, PAGE, { name: 'laptop', 'scopes[]': 'read_api', expires_at: '', ...fields })

const secretIn = (text: string) => /<input[^>]*id="secret"[^>]*value="([^"]+)"/s.exec(text)?.[1]

const tokensOf = (userId: number) =>
  w.db
    .selectFrom('access_tokens')
    .selectAll()
    .where('user_id', '=', userId)
    .where('name', '<>', 'test')
    .orderBy('id')
    .execute()

describe('making a token', () => {
  test('shows its secret once; it works with its scopes and no more', async () => {
    const { id, visitor } = await signedIn(w)
    const { status, text, headers } = await make(visitor, {
      description: 'for the <train>',
      expires_at: inDays(7),
    })
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('no-store')
    const secret = secretIn(text)
    expect(secret).toMatch(/^glpat-[\w-]{27}$/)
    const client = w.anonymous.with({ 'private-token': secret ?? '' })
    expect((await client.get('/user')).body.id).toBe(id)
    expect((await client.put('/user/status', {})).status).toBe(403)
    const again = (await visitor.get(PAGE)).text
    expect(again).not.toContain(secret)
    expect(again).toContain('for the &lt;train&gt;')
    expect(await tokensOf(id)).toMatchObject([
      { name: 'laptop', kind: 'personal', scopes: ['read_api'], expires_at: inDays(7) },
    ])
  })

  test('takes several scopes, and without a day the last one that is allowed', async () => {
    const { id, visitor } = await signedIn(w)
    const { text } = await visitor.get(PAGE)
    const csrf = /name="authenticity_token" value="([^"]*)"/.exec(text)?.[1] ?? ''
    const fields = new URLSearchParams({ authenticity_token: csrf, name: 'ci', expires_at: '' })
    fields.append('scopes[]', 'api')
    fields.append('scopes[]', 'read_user')
    expect((await visitor.post(PAGE, fields)).status).toBe(200)
    expect(await tokensOf(id)).toMatchObject([{ scopes: ['api', 'read_user'], expires_at: inDays(365) }])
  })

  test.each([
    ['no name', { name: '' }, 'Name is empty.'],
    ['a long name', { name: 'x'.repeat(256) }, 'Name is too long (maximum is 255 characters).'],
    ['a long description', { description: 'x'.repeat(256) }, 'is too long (maximum is 255 characters).'],
    ['no scopes', { 'scopes[]': '' }, 'Scopes can&#39;t be blank.'],
    ['an unknown scope', { 'scopes[]': 'everything' }, 'Scopes does not have a valid value.'],
    ['a scope of administrators', { 'scopes[]': 'sudo' }, 'Scopes can only contain available scopes.'],
    ['a past day', { expires_at: '2020-01-01' }, 'Expiry date must be in the future.'],
    ['a day too far', { expires_at: inDays(366) }, 'Expiry date must not be after'],
    ['no day at all', { expires_at: 'soon' }, 'Expiry date is invalid.'],
  ])('with %s is refused beside the field, and nothing typed is lost', async (_, fields, says) => {
    const { id, visitor } = await signedIn(w)
    const { status, text } = await make(visitor, { name: 'kept', ...fields })
    expect(status).toBe(422)
    expect(text).toContain(says)
    expect(text).toContain('aria-invalid="true"')
    if (!('name' in fields)) expect(text).toContain('value="kept"')
    expect(await tokensOf(id)).toEqual([])
  })

  test('offers the scopes of administrators to them alone', async () => {
    const [user, admin] = [await signedIn(w), await signedIn(w, { admin: true })]
    expect((await user.visitor.get(PAGE)).text).not.toContain('value="sudo"')
    expect((await admin.visitor.get(PAGE)).text).toContain('value="sudo"')
    expect((await make(admin.visitor, { 'scopes[]': 'sudo' })).status).toBe(200)
  })

  test('begins with what a client proposes in the address, also at the address of old', async () => {
    const { visitor } = await signedIn(w)
    const query = 'name=glab&scopes=api,write_repository'
    const { headers } = await visitor.get(`/-/profile/personal_access_tokens?${query}`)
    expect(headers.location).toBe(`${PAGE}?${query}`)
    const { text } = await visitor.get(`${PAGE}?${query}`)
    expect(text).toContain('value="glab"')
    expect([...text.matchAll(/value="(\w+)"[^>]*checked/g)].map(([, scope]) => scope)).toEqual([
      'api',
      'write_repository',
    ])
  })

  test('needs the token of the form', async () => {
    const { id, visitor } = await signedIn(w)
    const form = { name: 'stolen', 'scopes[]': 'api' }
    expect((await visitor.post(PAGE, form)).status).toBe(403)
    expect((await visitor.post(PAGE, { ...form, authenticity_token: 'x' })).status).toBe(403)
    expect(await tokensOf(id)).toEqual([])
  })
})

describe('one made before', () => {
  test('is revoked at once', async () => {
    const { id, visitor } = await signedIn(w)
    const secret = secretIn((await make(visitor)).text) ?? ''
    const [token] = await tokensOf(id)
    const answer = await visitor.submit(PAGE, `${PAGE}/${token?.id}/revoke`)
    expect(answer).toMatchObject({ status: 303, headers: { location: PAGE } })
    expect((await w.anonymous.with({ 'private-token': secret }).get('/user')).status).toBe(401)
    expect((await visitor.get(PAGE)).text).toContain('Tokens that work no more')
  })

  test('is rotated: the new secret is shown, the old one works no more', async () => {
    const { id, visitor } = await signedIn(w)
    const old = secretIn((await make(visitor)).text) ?? ''
    const [token] = await tokensOf(id)
    const { status, text } = await visitor.submit(PAGE, `${PAGE}/${token?.id}/rotate`)
    expect(status).toBe(200)
    const secret = secretIn(text) ?? ''
    expect(secret).not.toBe(old)
    expect((await w.anonymous.with({ 'private-token': old }).get('/user')).status).toBe(401)
    expect((await w.anonymous.with({ 'private-token': secret }).get('/user')).status).toBe(200)
  })

  test('is rotated once when the button is pressed twice, and the new one stays', async () => {
    const { id, visitor } = await signedIn(w)
    await make(visitor)
    const [token] = await tokensOf(id)
    const rotate = () => visitor.submit(PAGE, `${PAGE}/${token?.id}/rotate`)
    const answers = await Promise.all([rotate(), rotate(), rotate()])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    const secret = secretIn(answers.find(({ status }) => status === 200)?.text ?? '') ?? ''
    expect((await w.anonymous.with({ 'private-token': secret }).get('/user')).status).toBe(200)
  })

  test('that is expired is not rotated', async () => {
    const { id, visitor } = await signedIn(w)
    await make(visitor)
    const [token] = await tokensOf(id)
    await w.db
      .updateTable('access_tokens')
      .set({ expires_at: '2020-01-01' })
      .where('id', '=', token?.id ?? 0)
      .execute()
    expect((await visitor.submit(PAGE, `${PAGE}/${token?.id}/rotate`)).status).toBe(409)
  })

  test.each(['rotate', 'revoke'])(
    'is not for others to %s, and neither is one for impersonation',
    async (verb) => {
      const [me, somebody] = [await signedIn(w), await signedIn(w, { admin: true })]
      await make(me.visitor)
      const [mine] = await tokensOf(me.id)
      const { body } = await w.root.post(`/users/${somebody.id}/impersonation_tokens`, {
        name: 'x',
        scopes: ['api'],
      })
      for (const id of [mine?.id, body.id, 999_999_999]) {
        expect((await somebody.visitor.submit(PAGE, `${PAGE}/${id}/${verb}`)).status).toBe(404)
      }
      expect((await somebody.visitor.get(PAGE)).text).not.toContain('laptop')
      expect((await tokensOf(me.id))[0]?.revoked_at).toBeNull()
    },
  )
})

test('fifty tokens are shown at a time, in five statements', async () => {
  const { visitor, id } = await signedIn(w)
  for (let count = 0; count < 51; count += 1) await w.token({ id })
  expect(await w.statements(() => visitor.get(PAGE))).toHaveLength(5)
  const { text } = await visitor.get(PAGE)
  expect(text.match(/class="card"/g)).toHaveLength(50)
  const older = /href="([^"]*before=\d+)"/.exec(text)?.[1] ?? ''
  expect((await visitor.get(older)).text.match(/class="card"/g)).toHaveLength(2)
})
