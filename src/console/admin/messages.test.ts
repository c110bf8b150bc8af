import { expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Broadcast messages in the browser.

const page = '/admin/broadcast_messages'
/** No page of another test shows it. */
const target_path = '/no/such/page'

test('a message is written, changed and deleted, and a wrong one explained', async () => {
  const { visitor } = await signedIn(w, { admin: true })
  const message = unique('Tea')
  const fields = { message, target_path, theme: 'red', starts_at: '', ends_at: '2099-01-01T10:00' }
  const wrong = await submit(visitor, page, 'create', { ...fields, message: '' })
  expect([wrong.status, wrong.text.includes('Message is empty.')]).toEqual([400, true])
  expect((await submit(visitor, page, 'create', fields)).status).toBe(303)
  const shown = async () =>
    (await w.root.get('/broadcast_messages?per_page=100')).body.find(
      (one: { message: string }) => one.message === message,
    )
  const made = await shown()
  expect(made).toMatchObject({ message, target_path, theme: 'red', ends_at: '2099-01-01T10:00:00.000Z' })
  expect(made.active).toBe(true)

  const changes = { message, target_path, 'target_access_levels[]': '30', dismissable: 'true' }
  expect((await submit(visitor, page, `save/${made.id}`, changes)).status).toBe(303)
  expect(await shown()).toEqual({ ...made, target_access_levels: [30], dismissable: true })
  expect((await submit(visitor, page, `delete/${made.id}`)).status).toBe(303)
  expect(formsIn((await visitor.get(page, HERE)).text)).not.toContain(`delete/${made.id}`)
})
