import { describe, expect, test } from 'vitest'
import { signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'

const PAGE = '/-/user_settings/password'
const NEW = 'a much better secret'

const change = (
  visitor: Visitor,
  current_password: string,
  password = NEW,
  password_confirmation = password,
) => visitor.submit(PAGE, PAGE, { current_password, password, password_confirmation })

async function canSignIn(username: string, password: string): Promise<boolean> {
  await w.running.services.limits.forget()
  return (await new Visitor(w.url).signIn(username, password)).status === 303
}

describe('changing the own password', () => {
  test('takes the current one; the old one works no more', async () => {
    const { visitor, username, password } = await signedIn(w)
    const answer = await change(visitor, password)
    expect(answer).toMatchObject({ status: 303, headers: { location: PAGE } })
    expect((await visitor.get(PAGE)).text).toContain('Your password is changed.')
    expect(await canSignIn(username, password)).toBe(false)
    expect(await canSignIn(username, NEW)).toBe(true)
  })

  test('ends all other sessions and keeps this one; tokens stay', async () => {
    const { id, visitor, password, user } = await signedIn(w)
    const { reader } = await w.session({ id })
    await change(visitor, password)
    expect((await reader.get('/user')).status).toBe(401)
    expect((await visitor.get(PAGE)).status).toBe(200)
    expect((await user.get('/user')).status).toBe(200)
  })

  test.each([
    ['a wrong current one', 'wrong', NEW, NEW, 'Current password is wrong.'],
    ['a short one', undefined, 'short', 'short', 'New password is too short (minimum is 8 characters).'],
    [
      'a long one',
      undefined,
      'x'.repeat(129),
      'x'.repeat(129),
      'New password is too long (maximum is 128 characters).',
    ],
    ['two that differ', undefined, NEW, `${NEW}!`, 'New password again doesn&#39;t match.'],
    ['none', undefined, '', '', 'New password is empty.'],
  ])('refuses %s, beside the field', async (_, current, next, again, says) => {
    const { visitor, username, password } = await signedIn(w)
    const answer = await change(visitor, current ?? password, next, again)
    expect(answer.status).toBe(422)
    expect(answer.text.replaceAll("'", '&#39;')).toContain(says)
    expect(answer.text).not.toContain(NEW)
    expect(await canSignIn(username, password)).toBe(true)
  })

  test('refuses the username', async () => {
    const { visitor, username, password } = await signedIn(w, { username: 'long-enough-username' })
    expect((await change(visitor, password, username)).text).toContain('must not be the username')
  })

  test('lets nobody guess who has taken over a session', async () => {
    const { visitor, password } = await signedIn(w)
    for (let count = 0; count < 10; count += 1) expect((await change(visitor, 'guess')).status).toBe(422)
    expect((await change(visitor, password)).status).toBe(429)
  })

  test('happens once when it is sent twice', async () => {
    const { visitor, password } = await signedIn(w)
    const answers = await Promise.all([
      change(visitor, password, 'first new secret'),
      change(visitor, password, 'second new secret'),
    ])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 422])
  })
})

describe('a password changed by an administrator', () => {
  test('ends all sessions of its user', async () => {
    const { id, visitor, username } = await signedIn(w)
    expect((await w.root.put(`/users/${id}`, { password: NEW })).status).toBe(200)
    expect((await visitor.get(PAGE)).status).toBe(303)
    expect(await canSignIn(username, NEW)).toBe(true)
  })

  test('and so does taking it away', async () => {
    const { id, visitor } = await signedIn(w)
    await w.root.put(`/users/${id}`, { reset_password: true })
    expect((await visitor.get(PAGE)).status).toBe(303)
  })

  test('leaves sessions alone when something else is changed', async () => {
    const { id, visitor } = await signedIn(w)
    await w.root.put(`/users/${id}`, { bio: 'new' })
    expect((await visitor.get(PAGE)).status).toBe(200)
  })
})
