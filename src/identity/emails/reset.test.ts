import { beforeEach, describe, expect, test } from 'vitest'
import { linkTo, tokenIn } from './test-support.ts'
import { mails } from '#test/smtp.ts'
import { person, signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/mail-world.ts'
import { unique } from '#test/world.ts'

beforeEach(() => w.running.services.limits.forget())

const fresh = () => `${unique('further')}@example.com`

describe('a password that somebody forgot', () => {
  const ask = (email: string, from?: string) =>
    new Visitor(w.url, from === undefined ? {} : { from }).submit(
      '/users/password/new',
      '/users/password/new',
      {
        email,
      },
    )

  async function askFor(who: { email: string }): Promise<string> {
    expect((await ask(who.email)).status).toBe(200)
    await expect.poll(() => mails.mailsTo(who.email).length).toBeGreaterThan(0)
    return linkTo(who.email, '/users/password/edit')
  }

  const set = (link: string, password: string, again = password) =>
    new Visitor(w.url).submit(link, '/users/password/edit', {
      reset_password_token: tokenIn(link),
      password,
      password_confirmation: again,
    })

  test('is replaced by a link that works once and ends all sessions', async () => {
    const who = await signedIn(w)
    const link = await askFor(who)
    expect((await set(link, 'a new password', 'another')).status).toBe(422)
    expect((await set(link, 'short')).status).toBe(422)
    expect((await set(link, 'a new password')).status).toBe(200)
    expect((await who.visitor.get('/-/user_settings/password')).status).toBe(303)
    expect((await new Visitor(w.url).get(link)).status).toBe(404)
    expect((await set(link, 'yet another password')).status).toBe(404)
    expect((await new Visitor(w.url).signIn(who.username, who.password)).status).toBe(422)
    expect((await new Visitor(w.url).signIn(who.username, 'a new password')).status).toBe(303)
    await expect
      .poll(async () => (await mails.readMails(who.email)).map(({ subject }) => subject))
      .toContain('Your password was changed')
  })

  test('can be set for an hour', async () => {
    w.clock.hold('2030-01-01T12:00:00Z')
    const link = await askFor(await person(w))
    w.clock.hold('2030-01-01T12:59:59Z')
    expect((await new Visitor(w.url).get(link)).status).toBe(200)
    w.clock.hold('2030-01-01T13:00:00Z')
    expect((await new Visitor(w.url).get(link)).status).toBe(404)
    expect((await set(link, 'a new password')).status).toBe(404)
  })

  test('is answered alike whether the address belongs to an account or not', async () => {
    const who = await person(w)
    const nobody = fresh()
    const [known, unknown] = [await ask(who.email), await ask(nobody)]
    const shown = (text: string, email: string) => text.replaceAll(email, 'EMAIL')
    expect(shown(known.text, who.email)).toBe(shown(unknown.text, nobody))
    await mails.readMail(who.email)
    expect(mails.mailsTo(nobody)).toEqual([])
  })

  test('is not sent to the blocked, to bots, or to addresses that nobody confirmed', async () => {
    const [blocked, user, last] = [await person(w), await w.user(), await person(w)]
    await w.root.post(`/users/${blocked.id}/block`)
    const unconfirmed = fresh()
    await user.post('/user/emails', { email: unconfirmed })
    await mails.readMail(unconfirmed)
    await ask(blocked.email)
    await ask(unconfirmed)
    await ask(last.email)
    await mails.readMail(last.email)
    expect(mails.mailsTo(blocked.email)).toEqual([])
    expect(mails.mailsTo(unconfirmed)).toHaveLength(1)
  })

  test('is sent three times an hour to an address, and asked for twenty times by one', async () => {
    const email = fresh()
    const statuses = []
    for (let count = 0; count < 4; count += 1) statuses.push((await ask(email)).status)
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  test('stays when the link comes with the host that a request named', async () => {
    const who = await person(w)
    const visitor = new Visitor(w.url, {
      headers: { 'x-forwarded-host': 'evil.example.com' },
      from: '198.51.100.7',
    })
    await visitor.submit('/users/password/new', '/users/password/new', { email: who.email })
    expect((await mails.readMail(who.email)).text).not.toContain('evil')
  })
})
