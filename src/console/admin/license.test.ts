import { afterAll, expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { openWorld } from '#test/world.ts'
import { HERE, submit } from '../test-support.ts'

// Licenses in the browser. They count for a whole instance, so it is one of its own.

const w = await openWorld()
afterAll(() => w.running.stop())

const page = '/admin/license'

test('an administrator gets a plan in two clicks, adds another license, and loses both', async () => {
  const { visitor } = await signedIn(w, { admin: true })
  const said = async () => (await visitor.get(page, HERE)).text.replaceAll(/\s+/g, ' ')
  expect(await said()).toContain('The plan is <strong>Free</strong>')
  expect((await visitor.get('/admin', HERE)).text).toContain('<a href="/admin/license">Free</a>')

  const issued = await submit(visitor, page, 'issue', { plan: 'premium', expires_at: '2999-01-01' })
  expect([issued.status, issued.headers.location]).toEqual([303, page])
  expect(await said()).toContain('The plan is <strong>Premium</strong> until 2998-12-31')
  expect((await visitor.get('/admin', HERE)).text).toContain('<a href="/admin/license">Premium</a>')

  const license = await w.licenseString({ plan: 'ultimate' })
  expect((await submit(visitor, page, 'add', { license })).status).toBe(303)
  expect(await said()).toContain('The plan is <strong>Ultimate</strong>')
  const again = await submit(visitor, page, 'add', { license })
  expect([again.status, again.text.includes('already been added')]).toEqual([400, true])
  const wrong = await submit(visitor, page, 'issue', { plan: 'premium', expires_at: '2020-01-01' })
  expect([wrong.status, wrong.text.includes('Ends before is not in the future.')]).toEqual([400, true])

  for (const { id } of (await w.root.get('/licenses')).body)
    expect((await submit(visitor, page, `delete/${id}`)).status).toBe(303)
  expect(await said()).toContain('There is none yet.')
})
