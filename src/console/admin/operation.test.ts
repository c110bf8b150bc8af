import { expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Runners, feature flags, storages, spam and audit events in the browser.

const root = await signedIn(w, { admin: true })
const shown = async (page: string) => (await root.visitor.get(page, HERE)).text

test('a runner of the instance is made with its token, paused, resumed and deleted', async () => {
  const description = unique('runner')
  // Other tests make runners, too.
  const page = `/admin/runners?tag_list=${description}`
  const made = await submit(root.visitor, page, 'add-runner', {
    description,
    run_untagged: 'false',
    tag_list: description,
  })
  expect([made.status, /value="glrt-[\w-]+"/.test(made.text)]).toEqual([200, true])
  const [, id = ''] =
    new RegExp(`${description}</strong>\\s*<span class="quiet">#(\\d+)`).exec(await shown(page)) ?? []
  const row = `<strong>${description}</strong>`
  expect(await shown(`${page}&type=instance_type`)).toContain(row)
  expect(await shown(`${page}&type=group_type`)).not.toContain(row)
  expect((await submit(root.visitor, page, `pause/${id}`)).status).toBe(303)
  expect((await w.root.get(`/runners/${id}`)).body.paused).toBe(true)
  expect((await submit(root.visitor, page, `resume/${id}`)).status).toBe(303)
  expect((await w.root.get(`/runners/${id}`)).body.paused).toBe(false)
  expect((await submit(root.visitor, page, `delete/${id}`)).status).toBe(303)
  expect((await w.root.get(`/runners/${id}`)).status).toBe(404)
  const wrong = await submit(root.visitor, page, 'add-runner', { maximum_timeout: '1' })
  expect(wrong.status).toBe(400)
})

test('a flag that nobody knows is shown, turned on and off, and forgotten', async () => {
  const page = '/admin/feature_flags'
  const name = unique('flag')
  await w.root.post(`/features/${name}`, { value: 30, force: true })
  expect((await shown(page)).replaceAll(/\s+/g, ' ')).toContain('percentage of time: 30')
  const state = async () =>
    (await w.root.get('/features')).body.find((one: { name: string }) => one.name === name)?.state
  for (const [does, after] of [
    ['on', 'on'],
    ['off', 'off'],
    ['reset', undefined],
  ] as const) {
    expect((await submit(root.visitor, page, `${does}/${name}`)).status).toBe(303)
    expect(await state()).toBe(after)
  }
  expect(formsIn(await shown(page))).not.toContain(`reset/${name}`)
  expect(await shown(page)).toContain('packages_protected_packages')
})

test('storages and moves are shown, and a wrong one is refused beside its field', async () => {
  const page = '/admin/repository_storages'
  expect(await shown(page)).toContain('<strong>default</strong>')
  expect(await shown(`${page}?kind=snippet`)).toContain('Move all snippets')
  const same = { source_storage_name: 'nowhere', destination_storage_name: '' }
  const wrong = await submit(root.visitor, page, 'move', same)
  expect(wrong.status).toBe(400)
  expect(wrong.text).toMatch(/id="move-source_storage_name-problem"|role="alert"/)
})

test('audit events say that they need a plan, or who did what', async () => {
  const text = await shown('/admin/audit_logs')
  const { status } = await w.root.get('/audit_events')
  expect(text.includes('They need the plan Premium')).toBe(status === 403)
})

test('what was taken for spam is removed from the list, alone or with its author', async () => {
  const page = '/admin/spam_logs'
  const author = await w.user()
  const add = async () => {
    const { id } = await w.db
      .insertInto('spam_logs')
      .values({
        user_id: author.id,
        digest: Buffer.from(unique('digest')),
        noteable_type: 'Issue',
        title: 'Buy',
        description: '<b>now</b>',
        created_at: new Date().toISOString(),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  }
  const [one, other] = [await add(), await add()]
  expect(await shown(page)).toContain('&lt;b&gt;now')
  expect((await submit(root.visitor, page, `forget/${one}`)).status).toBe(303)
  expect(formsIn(await shown(page))).not.toContain(`forget/${one}`)
  expect((await w.root.get(`/users/${author.id}`)).status).toBe(200)
  expect((await submit(root.visitor, page, `remove-author/${other}`)).status).toBe(303)
  expect((await w.root.get(`/users/${author.id}`)).status).toBe(404)
})
