import { expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { application, authorizePath, consent, signIn, statusWith } from './test-support.ts'

const PAGE = '/-/user_settings/authorized_applications'

test('people see which applications act for them, and take it back at once', async () => {
  const { id, visitor } = await signedIn(w)
  const [app, other] = [await application(), await application()]
  const tokens = await signIn(app, { id })
  const others = await signIn(other, { id })
  const { text } = await visitor.get(PAGE)
  expect(text).toContain(app.name)
  expect(text).toContain(other.name)
  const answer = await visitor.submit(PAGE, `${PAGE}/${app.id}/revoke`)
  expect(answer).toMatchObject({ status: 303, headers: { location: PAGE } })
  expect(await statusWith(tokens.access_token)).toBe(401)
  expect(await statusWith(others.access_token)).toBe(200)
  const after = (await visitor.get(PAGE)).text
  expect(after).toContain('Revoked.')
  expect(after).not.toContain(app.name)
})

test('an application that nobody let in cannot be taken back, and neither one of somebody else', async () => {
  const [me, somebody] = [await signedIn(w), await signedIn(w)]
  const app = await application()
  const tokens = await signIn(app, somebody)
  expect((await me.visitor.get(PAGE)).text).not.toContain(app.name)
  expect((await me.visitor.submit(PAGE, `${PAGE}/${app.id}/revoke`)).status).toBe(404)
  expect(await statusWith(tokens.access_token)).toBe(200)
})

test('whoever signs in on the way to an application gets there, though its address is elsewhere', async () => {
  const me = await signedIn(w)
  const app = await application()
  await consent(app, me)
  const path = authorizePath(app)
  const { status, text, headers } = await me.visitor.submit('/', '/users/sign_in', {
    login: me.username,
    password: me.password,
    return_to: path,
  })
  // A redirect would be held against the policy of the sign-in page, which allows forms to this instance alone.
  expect({ status, location: headers.location }).toEqual({ status: 200, location: undefined })
  expect(text).toContain(`<meta http-equiv="refresh" content="0;url=${path.replaceAll('&', '&amp;')}"`)
})
