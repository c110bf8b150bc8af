import { beforeEach, describe, expect, test } from 'vitest'
import { linkTo, tokenIn } from './test-support.ts'
import { mails } from '#test/smtp.ts'
import { person, Visitor } from '#test/visitor.ts'
import { w } from '#test/mail-world.ts'
import { type Actor, unique } from '#test/world.ts'

beforeEach(() => w.running.services.limits.forget())

const fresh = () => `${unique('further')}@example.com`
const add = (user: Actor, email: string) => user.post('/user/emails', { email })

/** Follows the link in a confirmation mail. */
async function confirm(address: string): Promise<number> {
  const link = await linkTo(address, '/users/confirmation')
  const answer = await new Visitor(w.url).submit(link, '/users/confirmation', {
    confirmation_token: tokenIn(link),
  })
  return answer.status
}

describe('further addresses', () => {
  test('are added, listed, shown and deleted', async () => {
    const user = await w.user()
    const email = fresh()
    const added = await add(user, email)
    expect(added.status).toBe(201)
    expect(added.body).toEqual({ id: expect.any(Number), email, confirmed_at: null })
    expect((await user.get('/user/emails')).body).toEqual([added.body])
    expect((await user.get(`/user/emails/${added.body.id}`)).body).toEqual(added.body)
    expect((await w.root.get(`/users/${user.id}/emails`)).body).toEqual([added.body])
    expect((await user.delete(`/user/emails/${added.body.id}`)).status).toBe(204)
    expect((await user.get('/user/emails')).body).toEqual([])
    expect((await user.delete(`/user/emails/${added.body.id}`)).status).toBe(404)
  })

  test('are confirmed by the link in a mail, by a button, once', async () => {
    const user = await w.user()
    const email = fresh()
    const { body } = await add(user, email)
    const link = await linkTo(email, '/users/confirmation')
    // A program that looks at the link confirms nothing.
    expect((await new Visitor(w.url).get(link)).status).toBe(200)
    expect((await user.get(`/user/emails/${body.id}`)).body.confirmed_at).toBeNull()
    expect(await confirm(email)).toBe(200)
    expect((await user.get(`/user/emails/${body.id}`)).body.confirmed_at).toMatch(/^\d{4}-/)
    expect((await new Visitor(w.url).get(link)).status).toBe(404)
    expect(await confirm(email).catch(() => 404)).not.toBe(200)
  })

  test('count as confirmed at once where an administrator says so, without a mail', async () => {
    const user = await w.user()
    const email = fresh()
    const asked = { email, skip_confirmation: true }
    const { status, body } = await w.root.post(`/users/${user.id}/emails`, asked)
    expect([status, body.email]).toEqual([201, email])
    expect(body.confirmed_at).toMatch(/^\d{4}-/)
    expect((await w.root.delete(`/users/${user.id}/emails/${body.id}`)).status).toBe(204)
    expect(mails.mailsTo(email)).toEqual([])
  })

  test('are refused when they are impossible, missing, the own or taken by somebody who confirmed them', async () => {
    const [user, other] = [await w.user(), await w.user()]
    const email = fresh()
    for (const wrong of ['nowhere', 'a b@example.com', `${'a'.repeat(65)}@example.com`])
      expect(await add(user, wrong)).toMatchObject({
        status: 400,
        body: { message: { email: ['is invalid'] } },
      })
    expect(await user.post('/user/emails', {})).toMatchObject({
      status: 400,
      body: { error: 'email is missing' },
    })
    const taken = { status: 400, body: { message: { email: ['has already been taken'] } } }
    expect(await add(user, `${user.username}@example.com`)).toMatchObject(taken)
    expect(await add(user, `${other.username}@EXAMPLE.com`)).toMatchObject(taken)
    expect((await add(user, email)).status).toBe(201)
    expect(await add(user, email.toUpperCase())).toMatchObject(taken)
  })

  test('that nobody has confirmed keep nobody else from them; who confirms first has it', async () => {
    const [squatter, owner] = [await w.user(), await w.user()]
    const email = fresh()
    const claimed = await add(squatter, email)
    expect(claimed.status).toBe(201)
    const early = await linkTo(email, '/users/confirmation')
    await w.root.post(`/users/${owner.id}/emails`, { email, skip_confirmation: true })
    const late = await new Visitor(w.url).submit(early, '/users/confirmation', {
      confirmation_token: tokenIn(early),
    })
    expect(late.status).toBe(404)
    expect((await squatter.get(`/user/emails/${claimed.body.id}`)).body.confirmed_at).toBeNull()
    const account = { username: unique('name'), name: 'N', email, password: 'correct horse battery' }
    expect((await w.root.post('/users', account)).status).toBe(409)
  })

  test('of two who confirm at the same moment one gets it, and nothing fails', async () => {
    const users = [await w.user(), await w.user()]
    const email = fresh()
    const asked = { email, skip_confirmation: true }
    const answers = await Promise.all(users.map(({ id }) => w.root.post(`/users/${id}/emails`, asked)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 400]))
  })

  test('are shown and committed with only while they are confirmed', async () => {
    const user = await w.user()
    const email = fresh()
    const { body } = await add(user, email)
    const shown = (public_email: string) => w.root.put(`/users/${user.id}`, { public_email })
    expect((await shown(email)).status).toBe(400)
    await confirm(email)
    expect((await shown(email)).body.public_email).toBe(email)
    await user.delete(`/user/emails/${body.id}`)
    expect((await w.root.get(`/users/${user.id}`)).body.public_email).toBeNull()
  })

  test('let people sign in once they are confirmed', async () => {
    const { user, password } = await person(w)
    const email = fresh()
    await add(user, email)
    expect((await new Visitor(w.url).signIn(email, password)).status).toBe(422)
    await confirm(email)
    expect((await new Visitor(w.url).signIn(email, password)).status).toBe(303)
  })
})

test('audit events tell what happened to addresses', async () => {
  const user = await w.user()
  const email = fresh()
  const { body } = await add(user, email)
  await confirm(email)
  await user.delete(`/user/emails/${body.id}`)
  const events = await w.db
    .selectFrom('audit_events')
    .select('event_name')
    .where('author_id', '=', user.id)
    .orderBy('id')
    .execute()
  expect(events.map(({ event_name }) => event_name)).toEqual([
    'email_created',
    'email_confirmed',
    'email_destroyed',
  ])
})

describe('a new first address', () => {
  test('counts when its owner confirms it', async () => {
    const user = await w.user()
    const email = fresh()
    const changed = await w.root.put(`/users/${user.id}`, { email })
    expect([changed.status, changed.body.email]).toEqual([200, `${user.username}@example.com`])
    expect(await confirm(email)).toBe(200)
    expect((await w.root.get(`/users/${user.id}`)).body.email).toBe(email)
  })

  test('counts at once where the administrator skips that', async () => {
    const user = await w.user()
    const email = fresh()
    const { body } = await w.root.put(`/users/${user.id}`, { email, skip_reconfirmation: true })
    expect(body.email).toBe(email)
    expect(mails.mailsTo(email)).toEqual([])
  })

  test('is refused when somebody has it', async () => {
    const [user, other] = [await w.user(), await w.user()]
    const { status } = await w.root.put(`/users/${user.id}`, { email: `${other.username}@example.com` })
    expect(status).toBe(409)
  })
})

describe('a new account', () => {
  const account = () => ({ username: unique('new'), name: 'New Person', email: fresh() })

  test('with reset_password gets a link with which it sets its password', async () => {
    const asked = account()
    expect((await w.root.post('/users', { ...asked, reset_password: true })).status).toBe(201)
    const link = await linkTo(asked.email, '/users/password/edit')
    const secret = { password: 'something long enough', password_confirmation: 'something long enough' }
    const set = { reset_password_token: tokenIn(link), ...secret }
    expect((await new Visitor(w.url).submit(link, '/users/password/edit', set)).status).toBe(200)
    expect((await new Visitor(w.url).signIn(asked.username, secret.password)).status).toBe(303)
  })

  test('with a password is told of it, without the password', async () => {
    const asked = account()
    await w.root.post('/users', { ...asked, password: 'correct horse battery' })
    const { text = '' } = await mails.readMail(asked.email)
    expect(text).toContain(`Your username is ${asked.username}.`)
    expect(text).not.toContain('correct horse')
    expect(text).not.toContain('token')
  })
})

test('people hear of a sign-in from where they have not been seen, and of no other', async () => {
  const who = await person(w)
  const from = (agent: string) =>
    new Visitor(w.url, { headers: { 'user-agent': agent } }).signIn(who.username, who.password)
  await from('Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0')
  await from('Mozilla/5.0 (X11; Linux x86_64) Firefox/141.0')
  await from('curl/8.0')
  await from('curl/8.0')
  const { subject, text = '' } = await mails.readMail(who.email)
  expect(subject).toBe('Somebody signed in from a new place')
  expect(text).toContain('with curl from the address 127.0.0.1')
  expect(mails.mailsTo(who.email)).toHaveLength(1)
})

test('where the instance sends no mail, there is no page for it, and a new address counts at once', async () => {
  const node = await w.another(undefined, { FORGELET_SMTP_URL: undefined })
  try {
    const visitor = new Visitor(node.url)
    expect((await visitor.get('/users/password/new')).status).toBe(404)
    expect((await visitor.get('/users/sign_in')).text).not.toContain('Forgot')
    const user = await w.user()
    const email = fresh()
    const answer = await fetch(`${node.url}/api/v4/users/${user.id}`, {
      method: 'PUT',
      headers: { 'private-token': w.root.token, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    })
    expect(await answer.json()).toMatchObject({ email })
  } finally {
    await node.stop()
  }
})
