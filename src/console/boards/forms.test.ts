import { expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

test('planners make a board, add lists to it, move cards, and delete it', async () => {
  const p = await w.project({ visibility: 'public' })
  const { visitor, ...planner } = await signedIn(w)
  await w.member(p.namespaceId, planner, 15)
  const at = `/projects/${p.id}`
  const page = `/${p.fullPath}/-/boards`
  const labels = ['To do', 'Doing'].map(
    async (name) => (await p.owner.post(`${at}/labels`, { name, color: '#123456' })).body.id,
  )
  const [todo, doing] = await Promise.all(labels)
  await p.owner.post(`${at}/issues`, { title: 'A card' })
  const made = await submit(visitor, page, 'make', { name: 'Work' })
  const board = made.headers.location ?? ''
  expect((await visitor.get(page, HERE)).headers.location).toBe(board)
  for (const label_id of [todo, doing])
    await submit(visitor, board, 'add-list', { label_id: String(label_id) })
  const [first, second] = (await p.owner.get(`${at}/boards/${board.split('/').at(-1)}/lists`)).body
  const move = async (from: string, to: string) => {
    const key = `${p.id}-1-${from}`
    const answer = await submit(visitor, `${board}?move=${key}`, `move/${key}`, { to })
    expect(answer.status).toBe(303)
    const { state, labels: has } = (await p.owner.get(`${at}/issues/1`)).body
    return { state, has }
  }
  expect(await move('open', String(first.id))).toEqual({ state: 'opened', has: [first.label.name] })
  expect(await move(String(first.id), String(second.id))).toEqual({
    state: 'opened',
    has: [second.label.name],
  })
  expect(await move(String(second.id), 'closed')).toEqual({ state: 'closed', has: [] })
  expect(await move('closed', 'open')).toEqual({ state: 'opened', has: [] })
  await submit(visitor, board, `remove-list/${first.id}`)
  await submit(visitor, board, 'save', { name: 'Renamed', hide_closed_list: 'true' })
  const shown = (await visitor.get(board, HERE)).text
  expect([shown.includes('Renamed'), shown.includes('id="column-closed"')]).toEqual([true, false])
  const reader = await signedIn(w)
  expect(formsIn((await reader.visitor.get(board, HERE)).text)).toEqual([])
  expect((await submit(visitor, board, 'delete')).headers.location).toBe(page)
})

test('a card is not moved to a list that is gone, or where there is no card', async () => {
  const p = await w.project({ visibility: 'public' })
  const { visitor, ...planner } = await signedIn(w)
  await w.member(p.namespaceId, planner, 15)
  const at = `/projects/${p.id}`
  await p.owner.post(`${at}/issues`, { title: 'A card' })
  const { id } = (await p.owner.post(`${at}/boards`, { name: 'Work' })).body
  const board = `/${p.fullPath}/-/boards/${id}`
  const key = `${p.id}-1-open`
  const answer = await submit(visitor, `${board}?move=${key}`, `move/${key}`, { to: '999999' })
  expect([answer.status, answer.text.includes('The list is no longer on the board.')]).toEqual([400, true])
  const { text } = await visitor.get(board, HERE)
  const token = /name="authenticity_token" value="([^"]*)"/.exec(text)?.[1] ?? ''
  for (const odd of ['', 'x', '1-2-3-4', `${p.id}-99-open`]) {
    const { status } = await visitor.post(
      board,
      { authenticity_token: token, do: `move/${odd}`, to: 'closed' },
      HERE,
    )
    expect([odd, status]).toEqual([odd, odd.endsWith('99-open') ? 404 : 400])
  }
})
