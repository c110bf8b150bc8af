import { expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

const licensed = await w.licensed()

/** Somebody at the server whose plan has epics. Sessions are of all servers. */
async function there(): Promise<{ visitor: Visitor; user: { id: number } }> {
  const { visitor: elsewhere, user } = await signedIn(w)
  const visitor = new Visitor(licensed.url)
  for (const [name, value] of elsewhere.cookies) visitor.cookies.set(name, value)
  return { visitor, user }
}

test('planners open, change, discuss and close epics; others comment', async () => {
  const group = await w.group({ visibility: 'public' })
  const page = `/groups/${(await w.root.get(`/groups/${group.id}`)).body.full_path}/-/epics`
  const root = new Client(licensed.url, { 'private-token': w.root.token })
  const epic = () => root.get(`/groups/${group.id}/epics/1`)
  const planner = await there()
  await w.member(group.id, planner.user, 15)
  const reader = await there()
  const made = await submit(planner.visitor, `${page}/new`, 'open', { title: 'Doors', labels: 'door, wood' })
  const one = made.headers.location ?? ''
  expect(one).toBe(`${page}/1`)
  await submit(planner.visitor, `${one}/edit`, 'save', {
    title: 'All doors',
    description: 'Mend them',
    due_date_fixed: '2031-02-03',
  })
  expect((await epic()).body).toMatchObject({ title: 'All doors', description: 'Mend them' })
  await submit(reader.visitor, one, 'comment', { body: 'Windows, too?' })
  await submit(reader.visitor, one, 'react/thumbsup')
  const { text } = await reader.visitor.get(one, HERE)
  expect(text).toContain('Windows, too?')
  expect(formsIn(text)).not.toContain('close')
  await submit(planner.visitor, one, 'close')
  expect((await epic()).body).toMatchObject({ state: 'closed', upvotes: 1 })
})
