import { Gitlab } from '@gitbeaker/rest'
import { afterAll, expect, test } from 'vitest'
import { dayOf, daysAfter } from '#platform/http/time.ts'
import { openWorld } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

const w = await openWorld()
afterAll(() => w.running.stop())

const later = daysAfter(dayOf(new Date()), 30)

test('@gitbeaker/rest adds, shows, lists, counts and removes licenses', async () => {
  const { License } = new Gitlab({ host: w.url, token: w.root.token })
  // Its form of null.
  expect(await License.show()).toEqual({})
  const added = await License.add(await w.licenseString({ plan: 'ultimate', users: 5 }))
  expect(added).toMatchObject({ plan: 'ultimate', user_limit: 5, expired: false, overage: 0 })
  expect(await License.show()).toEqual(added)
  const future = await License.add(
    await w.licenseString({ starts_at: later, expires_at: daysAfter(later, 365) }),
  )
  expect((await License.all()).map(({ id }) => id)).toEqual([future.id, added.id])
  expect(await License.recalculateBillableUsers(added.id)).toEqual({ success: true })
  await expect(License.add('nonsense')).rejects.toMatchObject({
    cause: { description: expect.stringContaining('The license key is invalid.'), response: { status: 400 } },
  })
  for (const { id } of [added, future]) await License.remove(id)
  await expect(License.remove(added.id)).rejects.toMatchObject({ cause: { response: { status: 404 } } })
  expect(await License.all()).toEqual([])
})

test.skipIf(!hasPythonGitlab)(
  'python-gitlab does the same, and reads the export',
  { timeout: 180_000 },
  async () => {
    const strings = await Promise.all([
      w.licenseString({ plan: 'ultimate', users: 5 }),
      w.licenseString({ starts_at: later, expires_at: daysAfter(later, 365) }),
    ])
    await expectHeld('licenses.py', w.url, w.root.token, ...strings)
  },
)
