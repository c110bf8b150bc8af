import { expect, test } from 'vitest'
import { monitored } from '#monitoring/alert-receiver/test-support.ts'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { submit } from '../test-support.ts'

test('developers acknowledge, take, discuss, resolve and reopen an alert', async () => {
  const p = await monitored()
  const { visitor, ...developer } = await signedIn(w)
  await w.member(p.namespaceId, developer, 30)
  await p.send({ title: 'Disk full' })
  const [alert] = await p.alerts()
  const page = new URL(alert.web_url).pathname
  const now = async () => (await p.alerts())[0]
  await submit(visitor, page, 'acknowledged')
  await submit(visitor, page, 'take')
  expect(await now()).toMatchObject({ status: 'acknowledged', assignees: [{ id: developer.id }] })
  await submit(visitor, page, 'comment', { body: 'I am at it' })
  expect((await now()).user_notes_count).toBe(1)
  await submit(visitor, page, 'resolved')
  expect((await now()).status).toBe('resolved')
  await submit(visitor, page, 'triggered')
  expect((await now()).status).toBe('triggered')
})
