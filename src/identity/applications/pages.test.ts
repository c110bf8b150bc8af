import { describe, expect, test } from 'vitest'
import { csrfTokenIn, signedIn, type Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'

const PAGE = '/-/user_settings/applications'
const CALLBACK = 'https://app.example/callback'

const form = { name: 'Robot', redirect_uri: CALLBACK, 'scopes[]': 'read_api', confidential: 'true' }
const register = (visitor: Visitor, fields: Record<string, string> = {}) =>
  visitor.submit(PAGE, PAGE, { ...form, ...fields })

const applicationsOf = (userId: number) =>
  w.db.selectFrom('applications').selectAll().where('owner_id', '=', userId).orderBy('id').execute()

const secretIn = (text: string) => /<input[^>]*id="secret"[^>]*value="([^"]+)"/s.exec(text)?.[1]

/** Somebody with an application. */
async function owner() {
  const me = await signedIn(w)
  const { text } = await register(me.visitor)
  const [application] = await applicationsOf(me.id)
  return {
    ...me,
    secret: secretIn(text) ?? '',
    uid: application?.uid ?? '',
    path: `${PAGE}/${application?.id}`,
  }
}

/** Whether the two let an application in. */
async function works(uid: string, secret: string): Promise<boolean> {
  const fields = { grant_type: 'client_credentials', client_id: uid, client_secret: secret }
  const answer = await w.anonymous.send('POST', `${w.url}/oauth/token`, { form: new URLSearchParams(fields) })
  return answer.status === 200
}

describe('registering an application', () => {
  test('shows its id, and its secret once; both work', async () => {
    const { secret, uid, path, visitor } = await owner()
    expect(await works(uid, secret)).toBe(true)
    const { text } = await visitor.get(path)
    expect(text).toContain(uid)
    expect(text).toContain(CALLBACK)
    expect(text).not.toContain(secret)
    expect((await visitor.get(PAGE)).text).toContain('Robot')
  })

  test('shows no secret of a public one', async () => {
    const { id, visitor } = await signedIn(w)
    const { status, text } = await register(visitor, { confidential: 'false' })
    expect(status).toBe(200)
    expect(secretIn(text)).toBeUndefined()
    expect(await applicationsOf(id)).toMatchObject([{ confidential: false }])
  })

  test('takes several redirect URIs and scopes', async () => {
    const { id, visitor } = await signedIn(w)
    const csrf = csrfTokenIn((await visitor.get(PAGE)).text)
    const fields = new URLSearchParams({ ...form, authenticity_token: csrf })
    fields.set('redirect_uri', `${CALLBACK}\r\nhttp://127.0.0.1/done\r\n`)
    fields.append('scopes[]', 'read_user')
    expect((await visitor.post(PAGE, fields)).status).toBe(200)
    expect(await applicationsOf(id)).toMatchObject([
      { redirect_uris: [CALLBACK, 'http://127.0.0.1/done'], scopes: ['read_api', 'read_user'] },
    ])
  })

  test.each([
    ['no name', { name: ' ' }, 'Name is empty.'],
    ['no redirect URI', { redirect_uri: '' }, 'Redirect URI is empty.'],
    ['one that is not safe', { redirect_uri: 'http://app.example/cb' }, 'must use https'],
    ['one that runs', { redirect_uri: 'javascript:alert(1)' }, 'must not have this scheme'],
    ['no scopes', { 'scopes[]': '' }, 'Scopes can&#39;t be blank.'],
    ['a scope of administrators', { 'scopes[]': 'sudo' }, 'Scopes can only contain available scopes.'],
  ])('with %s is refused beside the field, and nothing typed is lost', async (_, fields, says) => {
    const { id, visitor } = await signedIn(w)
    const { status, text } = await register(visitor, { name: 'kept', confidential: 'false', ...fields })
    expect(status).toBe(422)
    expect(text).toContain(says)
    expect(text).toMatch(/value="false"[^>]*checked/)
    if (!('name' in fields)) expect(text).toContain('value="kept"')
    if (!('redirect_uri' in fields)) expect(text).toContain(`>${CALLBACK}</textarea>`)
    expect(await applicationsOf(id)).toEqual([])
  })
})

describe('one registered before', () => {
  test('is changed', async () => {
    const { id, visitor, path } = await owner()
    const changes = {
      name: 'New name',
      redirect_uri: 'https://other.example/cb',
      'scopes[]': 'api',
      confidential: 'false',
    }
    const answer = await visitor.submit(path, path, changes)
    expect(answer).toMatchObject({ status: 303, headers: { location: path } })
    expect(await applicationsOf(id)).toMatchObject([
      { name: 'New name', redirect_uris: ['https://other.example/cb'], scopes: ['api'], confidential: false },
    ])
    const fact = await w.db
      .selectFrom('facts')
      .select(['actor_id', 'details'])
      .where('name', '=', 'application changed')
      .where('actor_id', '=', id)
      .execute()
    expect(fact).toEqual([
      { actor_id: id, details: { name: 'New name', scopes: ['api'], confidential: false } },
    ])
  })

  test('is refused what it could not be made with', async () => {
    const { id, visitor, path } = await owner()
    const { status, text } = await visitor.submit(path, path, {
      ...form,
      redirect_uri: 'nonsense',
      name: 'typed',
    })
    expect(status).toBe(422)
    expect(text).toContain('Redirect URI must be an absolute URI.')
    expect(text).toContain('value="typed"')
    expect(await applicationsOf(id)).toMatchObject([{ name: 'Robot', redirect_uris: [CALLBACK] }])
  })

  test('gets a new secret; the old one works no more', async () => {
    const { visitor, path, uid, secret } = await owner()
    const { status, text } = await visitor.submit(path, `${path}/renew_secret`)
    expect(status).toBe(200)
    expect(await works(uid, secretIn(text) ?? '')).toBe(true)
    expect(await works(uid, secret)).toBe(false)
  })

  test('is deleted', async () => {
    const { id, visitor, path, uid, secret } = await owner()
    const answer = await visitor.submit(path, `${path}/delete`)
    expect(answer).toMatchObject({ status: 303, headers: { location: PAGE } })
    expect(await applicationsOf(id)).toEqual([])
    expect(await works(uid, secret)).toBe(false)
    expect((await visitor.get(path)).status).toBe(404)
  })

  test('is not for others, administrators neither: they have the API', async () => {
    const [me, other] = [await owner(), await signedIn(w, { admin: true })]
    expect((await other.visitor.get(me.path)).status).toBe(404)
    expect((await other.visitor.get(PAGE)).text).not.toContain('Robot')
    for (const path of [me.path, `${me.path}/renew_secret`, `${me.path}/delete`]) {
      expect((await other.visitor.submit('/', path, form)).status).toBe(404)
    }
    expect((await other.visitor.submit('/', me.path, { ...form, name: '' })).status).toBe(404)
    expect(await works(me.uid, me.secret)).toBe(true)
  })
})
