import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

test('@gitbeaker/rest keeps e-mail addresses', async () => {
  const user = await w.user()
  const emails = new Gitlab({ host: w.url, token: user.token }).UserEmails
  const email = `${unique('gitbeaker')}@example.com`
  const made = await emails.create(email)
  expect(made).toMatchObject({ email, confirmed_at: null })
  expect(await emails.all()).toEqual([made])
  expect(await emails.show(made.id)).toEqual(made)
  await emails.remove(made.id)
  expect(await emails.all()).toEqual([])
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('keeps e-mail addresses', { timeout: 180_000 }, async () => {
    await expectHeld('emails.py', w.url, w.root.token, unique('x'))
  })
})
