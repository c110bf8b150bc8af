import { expect, test } from 'vitest'
import { w } from '#test/world.ts'

const at = '/broadcast_messages'
/** No page of another test shows it. */
const target_path = '/no/such/page'

test('a message is made, read by everybody, changed and deleted', async () => {
  const made = await w.root.post(at, { message: 'Tea', target_path })
  expect(made.status).toBe(201)
  const { id, starts_at, ends_at, ...rest } = made.body
  expect(rest).toEqual({
    message: 'Tea',
    color: '#E75E40',
    font: '#FFFFFF',
    target_access_levels: [],
    target_path,
    broadcast_type: 'banner',
    theme: 'indigo',
    dismissable: false,
    active: true,
  })
  expect(Date.parse(ends_at) - Date.parse(starts_at)).toBe(3_600_000)
  expect((await w.anonymous.get(`${at}/${id}`)).body).toEqual(made.body)
  expect((await w.anonymous.get(at)).body).toContainEqual(made.body)

  const changes = {
    message: 'Coffee',
    starts_at: '2020-01-01T00:00:00.000Z',
    ends_at: '2020-01-02T00:00:00.000Z',
    color: '#000',
    font: '#abcdef',
    target_access_levels: [10, 30],
    target_path: null,
    broadcast_type: 'notification',
    theme: 'light-red',
    dismissable: true,
  }
  const changed = await w.root.put(`${at}/${id}`, changes)
  expect([changed.status, changed.body]).toEqual([200, { ...changes, id, active: false }])
  const emptied = await w.root.put(`${at}/${id}`, { target_access_levels: '' })
  expect(emptied.body).toEqual({ ...changed.body, target_access_levels: [] })
  expect((await w.root.delete(`${at}/${id}`)).status).toBe(204)
  expect((await w.anonymous.get(`${at}/${id}`)).status).toBe(404)
})

test('only administrators write', async () => {
  const user = await w.user()
  const { body } = await w.root.post(at, { message: 'Tea', target_path })
  for (const [caller, status] of [
    [user, 403],
    [w.anonymous, 401],
  ] as const) {
    expect((await caller.post(at, { message: 'x' })).status).toBe(status)
    expect((await caller.put(`${at}/${body.id}`, { message: 'x' })).status).toBe(status)
    expect((await caller.delete(`${at}/${body.id}`)).status).toBe(status)
  }
  expect((await w.root.get(`${at}/${body.id}`)).body.message).toBe('Tea')
})

test.each([
  [{}, 'message is missing'],
  [{ message: '' }, 'message is empty'],
  [{ message: 'x'.repeat(5_001) }, 'message is too long'],
  [{ message: 'x', color: 'red' }, 'color'],
  [{ message: 'x', theme: 'pink' }, 'theme does not have a valid value'],
  [{ message: 'x', broadcast_type: 'song' }, 'broadcast_type does not have a valid value'],
  [{ message: 'x', target_access_levels: [7] }, 'target_access_levels'],
  [{ message: 'x', ends_at: 'tomorrow' }, 'ends_at is invalid'],
])('%j is refused', async (asked, reason) => {
  const { status, body } = await w.root.post(at, asked)
  expect(status).toBe(400)
  expect(body.error).toContain(reason)
})

test('a message is named by its beginning, wherever that ends', async () => {
  const message = `${'x'.repeat(59)}😀 and so on`
  const made = await w.root.post(at, { message, target_path })
  expect([made.status, made.body.message]).toEqual([201, message])
  expect((await w.root.delete(`${at}/${made.body.id}`)).status).toBe(204)
})
