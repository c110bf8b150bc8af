import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { MAX_LISTS } from '#planning/boards/limits.ts'
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
    await submit(visitor, `${board}/edit`, 'add-list', { for: `label_id/${label_id}` })
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
  await submit(visitor, `${board}/edit`, 'save', { name: 'Renamed', hide_closed_list: 'true' })
  const shown = (await visitor.get(board, HERE)).text
  expect([shown.includes('Renamed'), shown.includes('id="column-closed"')]).toEqual([true, false])
  const reader = await signedIn(w)
  expect(formsIn((await reader.visitor.get(board, HERE)).text)).toEqual([])
  expect((await reader.visitor.get(`${board}/edit`, HERE)).status).toBe(404)
  expect((await submit(visitor, `${board}/edit`, 'delete')).headers.location).toBe(page)
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

test('a board that has as many lists as it may is offered no more', async () => {
  const p = await w.project()
  const { visitor, ...planner } = await signedIn(w)
  await w.member(p.namespaceId, planner, 15)
  const at = `/projects/${p.id}`
  await p.owner.post(`${at}/labels`, { name: 'bug', color: '#123456' })
  const { id } = (await p.owner.post(`${at}/boards`, { name: 'Work' })).body
  const page = `/${p.fullPath}/-/boards/${id}/edit`
  const offered = async () => formsIn((await visitor.get(page, HERE)).text)
  expect(await offered()).toEqual(['save', 'add-list', 'delete'])
  await sql`with made as (
    insert into labels (namespace_id, name, color, created_at, updated_at)
    select ${p.namespaceId}, 'more ' || n, '#123456', now(), now() from generate_series(1, ${MAX_LISTS}::integer) as n
    returning id)
    insert into board_lists (board_id, label_id, position, created_at, updated_at)
    select ${id}, id, row_number() over (), now(), now() from made`.execute(w.db)
  expect(await offered()).toEqual(['save', 'delete'])
})

test('milestones that say too much to be read at once keep nobody from a form', async () => {
  const p = await w.project()
  const { visitor, ...planner } = await signedIn(w)
  await w.member(p.namespaceId, planner, 15)
  const at = `/projects/${p.id}`
  const milestones = Array.from({ length: 9 }, (_, index) => index)
  await Promise.all(
    milestones.map(async (number) => {
      const long = { title: `Long ${number}`, description: `"`.repeat(1_000_000) }
      expect((await p.owner.post(`${at}/milestones`, long)).status).toBe(201)
    }),
  )
  const { id } = (await p.owner.post(`${at}/boards`, { name: 'Work' })).body
  const page = `/${p.fullPath}/-`
  for (const form of [`${page}/boards/${id}/edit`, `${page}/issues/new`])
    expect((await visitor.get(form, HERE)).status).toBe(200)
  expect((await submit(visitor, `${page}/boards/${id}/edit`, 'save', { name: 'Renamed' })).status).toBe(303)
})

test('a board is about some issues alone, and has lists for people and milestones', async () => {
  const p = await w.project({ visibility: 'public' })
  const { visitor, ...planner } = await signedIn(w)
  await w.member(p.namespaceId, planner, 15)
  const at = `/projects/${p.id}`
  await p.owner.post(`${at}/labels`, { name: 'bug', color: '#123456' })
  const milestone = (await p.owner.post(`${at}/milestones`, { title: 'Spring' })).body.id
  const { id } = (await p.owner.post(`${at}/boards`, { name: 'Work' })).body
  const page = `/${p.fullPath}/-/boards/${id}`
  const board = async () => (await p.owner.get(`${at}/boards/${id}`)).body
  const scope = { 'labels[]': 'bug', assignee_id: String(planner.id), milestone_id: '', weight: '3' }
  const saved = await submit(visitor, `${page}/edit`, 'save', { name: 'Bugs', ...scope })
  expect(saved.headers.location).toBe(page)
  expect(await board()).toMatchObject({
    name: 'Bugs',
    labels: [{ name: 'bug' }],
    assignee: { id: planner.id },
    milestone: null,
    weight: 3,
  })
  const wide = { 'labels[]': '', assignee_id: '', milestone_id: String(milestone), weight: '' }
  await submit(visitor, `${page}/edit`, 'save', { name: 'Spring', ...wide })
  expect(await board()).toMatchObject({
    labels: [],
    assignee: null,
    milestone: { id: milestone },
    weight: null,
  })
  for (const chosen of [`assignee_id/${planner.id}`, `milestone_id/${milestone}`])
    expect((await submit(visitor, `${page}/edit`, 'add-list', { for: chosen })).status).toBe(303)
  const lists = [{ assignee: { id: planner.id } }, { milestone: { id: milestone } }]
  expect((await board()).lists).toMatchObject(lists)
  const { text } = await visitor.get(`${page}/edit`, HERE)
  expect(text).toContain('Label: bug')
  expect(text).not.toContain('Milestone: Spring')
  for (const name of ['for', 'for[]', 'for[toString]']) {
    const odd = await submit(visitor, `${page}/edit`, 'add-list', { [name]: 'weight/3' })
    expect([odd.status, odd.text.includes('is no label, person or milestone')]).toEqual([400, true])
  }
})
