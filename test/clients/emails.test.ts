import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { unique, w } from '../world.ts'

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

/** Debian's python3-gitlab belongs to the system's own Python. */
const python = '/usr/bin/python3'
const installed = spawnSync(python, ['-c', 'import gitlab']).status === 0
if (!installed) console.log("skipped: Debian's python3-gitlab is not installed")

describe.skipIf(!installed)('python-gitlab', () => {
  test('keeps e-mail addresses', { timeout: 60_000 }, async () => {
    const script = fileURLToPath(new URL('emails.py', import.meta.url))
    const { stdout } = await promisify(execFile)(python, [script, w.url, w.root.token, unique('x')])
    expect(stdout.trim()).toBe('held')
  })
})
