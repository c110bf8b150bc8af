import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { createApplication } from './create-application.ts'
import { isRedirectUri } from './redirect-uris.ts'

const asked = () => ({ name: unique('App'), redirect_uri: 'https://app.example/callback', scopes: 'api' })
const make = async (changes: object = {}) => w.root.post('/applications', { ...asked(), ...changes })

describe('POST /applications', () => {
  test('makes a confidential application and shows its secret this once', async () => {
    const given = asked()
    const { status, body } = await w.root.post('/applications', given)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      application_id: expect.stringMatching(/^[0-9a-f]{64}$/),
      application_name: given.name,
      callback_url: given.redirect_uri,
      confidential: true,
      secret: expect.stringMatching(/^gloas-[\w-]{43}$/),
    })
    const row = await w.db
      .selectFrom('applications')
      .selectAll()
      .where('id', '=', body.id)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(body.secret)
    const facts = await w.db
      .selectFrom('facts')
      .select(['name', 'details'])
      .where('target_type', '=', 'Application')
      .where('target_id', '=', body.id)
      .execute()
    expect(facts).toEqual([
      { name: 'application created', details: { name: given.name, scopes: ['api'], confidential: true } },
    ])
  })

  test('takes several redirect URIs and scopes, and public applications', async () => {
    const redirect_uri = 'https://a.example/x?y=1\r\nhttp://127.0.0.1:4000/done com.example.app:/done'
    const { body } = await make({ redirect_uri, scopes: 'read_api  read_user', confidential: false })
    expect(body).toMatchObject({
      callback_url: 'https://a.example/x?y=1\nhttp://127.0.0.1:4000/done\ncom.example.app:/done',
      confidential: false,
    })
  })

  test('names what is missing', async () => {
    for (const name of ['name', 'redirect_uri', 'scopes']) {
      const { status, body } = await make({ [name]: undefined })
      expect([status, body.error]).toEqual([400, `${name} is missing`])
      expect((await make({ [name]: ' ' })).body.error).toBe(`${name} is empty`)
    }
    expect((await make({ name: 'x'.repeat(256) })).status).toBe(400)
  })

  test.each([
    ['callback', 'must be an absolute URI'],
    ['/callback', 'must be an absolute URI'],
    ['https://', 'must be an absolute URI'],
    ['https://app.example/täst', 'must be an absolute URI'],
    ['https://app.example\\@evil.example/', 'must be an absolute URI'],
    ['https://a;script-src/', 'must be an absolute URI'],
    ['https://*.app.example/', 'must be an absolute URI'],
    ['https://app.example/#part', 'must not contain a fragment'],
    ['https://user@app.example/', 'must not contain a user name or password'],
    ['http://app.example/', 'must use https, except for addresses of the own machine'],
    ['http://127.0.0.1.app.example/', 'must use https, except for addresses of the own machine'],
    ['javascript:alert(1)', 'must not have this scheme'],
    ['JavaScript://app.example/%0aalert(1)', 'must not have this scheme'],
    ['data:text/html,x', 'must not have this scheme'],
    ['file:///etc/passwd', 'must not have this scheme'],
    ['urn:ietf:wg:oauth:2.0:oob', 'must not have this scheme'],
    [`https://app.example/${'x'.repeat(2100)}`, 'is too long (maximum is 2048 characters)'],
  ])('refuses the redirect URI %s', async (redirect_uri, problem) => {
    const { status, body } = await make({ redirect_uri: `https://app.example/ ${redirect_uri}` })
    expect({ status, body }).toEqual({ status: 400, body: { message: { redirect_uri: [problem] } } })
  })

  test('refuses scopes without a use, and says why', async () => {
    expect(await make({ scopes: 'api k8s_proxy' })).toMatchObject({
      status: 400,
      body: {
        message: {
          scopes: ['cannot contain k8s_proxy: there are no agents of clusters yet'],
        },
      },
    })
  })

  test('refuses unknown scopes', async () => {
    expect(await make({ scopes: 'api everything' })).toMatchObject({
      status: 400,
      body: { message: { scopes: ['can only contain available scopes'] } },
    })
  })

  test('with an owner who is no administrator, has no scopes of administrators', async () => {
    const user = await w.user()
    const by = { id: user.id, admin: false }
    const wanted = { ...asked(), scopes: 'api sudo' }
    await expect(w.write((tx) => createApplication(tx, wanted, by))).rejects.toMatchObject({
      kind: 'invalid',
    })
    const made = await w.write((tx) => createApplication(tx, asked(), by))
    expect(made.owner_id).toBe(user.id)
  })
})

describe('a redirect URI', () => {
  const app = (confidential: boolean, ...redirect_uris: string[]) => ({ confidential, redirect_uris })

  test('is compared as text', () => {
    const one = app(true, 'https://app.example/callback')
    expect(isRedirectUri(one, 'https://app.example/callback')).toBe(true)
    for (const other of [
      'https://app.example/callback/',
      'https://app.example/callback?x',
      'https://APP.example/callback',
      'https://app.example:443/callback',
      'https://app.example/callback/../callback',
      'https://app.example/callback#x',
      'http://app.example/callback',
      'https://app.example.evil.example/callback',
    ]) {
      expect([other, isRedirectUri(one, other)]).toEqual([other, false])
    }
  })

  test('on the own machine may have any port, for public applications', () => {
    const uri = 'http://127.0.0.1/done?x=1'
    expect(isRedirectUri(app(false, uri), 'http://127.0.0.1:51004/done?x=1')).toBe(true)
    expect(isRedirectUri(app(false, 'http://[::1]:80/a'), 'http://[::1]:51004/a')).toBe(true)
    expect(isRedirectUri(app(false, 'http://localhost:7171/a'), 'http://localhost:7172/a')).toBe(true)
    expect(isRedirectUri(app(true, uri), 'http://127.0.0.1:51004/done?x=1')).toBe(false)
    for (const other of [
      'http://127.0.0.1:51004/done',
      'http://127.0.0.1:51004@evil.example/done?x=1',
      'http://127.0.0.1:80.evil.example/done?x=1',
      'http://localhost:51004/done?x=1',
      'https://127.0.0.1:51004/done?x=1',
    ]) {
      expect([other, isRedirectUri(app(false, uri), other)]).toEqual([other, false])
    }
  })

  test('elsewhere keeps its port', () => {
    const one = app(false, 'https://app.example/callback')
    expect(isRedirectUri(one, 'https://app.example:444/callback')).toBe(false)
  })
})

describe('GET /applications', () => {
  test('lists all of them, without secrets, in pages and a few statements', async () => {
    const user = await w.user()
    const { body: first } = await make()
    const own = await w.write((tx) => createApplication(tx, asked(), { id: user.id, admin: false }))
    // Other tests leave theirs: the new ones are on the last page or the one before.
    const last = Number((await w.root.get('/applications?per_page=100')).headers.get('x-total-pages'))
    const pages = [Math.max(1, last - 1), last].map((page) =>
      w.root.get(`/applications?per_page=100&page=${page}`),
    )
    const body = (await Promise.all(pages)).flatMap((page) => page.body)
    const { secret, ...shown } = first
    expect(body).toContainEqual(shown)
    expect(body.map(({ id }: { id: number }) => id)).toContain(own.id)
    expect(JSON.stringify(body)).not.toContain(secret)
    expect((await w.root.get('/applications?per_page=1')).body).toHaveLength(1)
    expect(await w.statements(() => w.root.get('/applications'))).toHaveLength(2)
  })
})

describe('DELETE /applications/:id', () => {
  test('takes it away', async () => {
    const { body } = await make()
    expect((await w.root.delete(`/applications/${body.id}`)).status).toBe(204)
    expect(await w.root.delete(`/applications/${body.id}`)).toMatchObject({
      status: 404,
      body: { message: '404 Application Not Found' },
    })
  })

  test('not when it was changed meanwhile', async () => {
    const { body } = await make()
    const stale = { headers: { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' } }
    expect((await w.root.delete(`/applications/${body.id}`, undefined, stale)).status).toBe(412)
  })
})

describe('POST /applications/:id/renew-secret', () => {
  test('gives another secret, and the old one ends', async () => {
    const { body } = await make()
    const { status, body: renewed } = await w.root.post(`/applications/${body.id}/renew-secret`)
    expect(status).toBe(201)
    expect(renewed).toEqual({ ...body, secret: expect.stringMatching(/^gloas-/) })
    expect(renewed.secret).not.toBe(body.secret)
    const form = (client_secret: string) =>
      new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: body.application_id,
        client_secret,
      })
    const ask = (secret: string) => w.anonymous.send('POST', `${w.url}/oauth/token`, { form: form(secret) })
    expect((await ask(body.secret)).status).toBe(401)
    expect((await ask(renewed.secret)).status).toBe(200)
  })

  test('of one that is not there is 404', async () => {
    expect((await w.root.post('/applications/999999999/renew-secret')).status).toBe(404)
  })
})
