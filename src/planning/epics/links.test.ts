import { expect, test } from 'vitest'
import { unique } from '#test/world.ts'
import { bodies, ids, onPremium, open, own, withEpic } from './test-support.ts'

onPremium()

test('epics are linked, listed from both sides, and unlinked', async () => {
  const p = await withEpic()
  const other = await open(p.planner, p)
  const path = `${p.path}/related_epics`
  const link = { target_group_id: p.fullPath, target_epic_iid: other.iid, link_type: 'blocks' }
  const { status, body } = await p.guest.post(path, link)
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(Number),
      source_epic: expect.objectContaining({ id: p.epic.id }),
      target_epic: expect.objectContaining({ id: other.id }),
      link_type: 'blocks',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ])
  expect((await p.guest.get(path)).body).toMatchObject([
    { id: other.id, related_epic_link_id: body.id, link_type: 'blocks' },
  ])
  const back = `${p.collection}/${other.iid}/related_epics`
  expect((await p.guest.get(back)).body).toMatchObject([{ id: p.epic.id, link_type: 'is_blocked_by' }])
  expect(bodies(await p.guest.get(p.notes))).toEqual(['marked this epic as blocking &2'])
  expect((await p.guest.post(back, { target_group_id: p.id, target_epic_iid: 1 })).status).toBe(409)
  expect((await p.guest.post(path, { target_group_id: p.id, target_epic_iid: 1 })).status).toBe(422)
  expect((await p.guest.delete(`${back}/${body.id}`)).body.source_epic.id).toBe(p.epic.id)
  expect((await p.guest.delete(`${back}/${body.id}`)).status).toBe(404)
  expect((await p.guest.get(path)).body).toEqual([])
})

test('links need a membership in both groups, and show only epics that the caller sees', async () => {
  const p = await withEpic({ visibility: 'public' })
  const elsewhere = await withEpic({ visibility: 'public' })
  const link = { target_group_id: String(elsewhere.id), target_epic_iid: 1 }
  expect((await p.guest.post(`${p.path}/related_epics`, link)).status).toBe(403)
  const hidden = await withEpic()
  const secret = { target_group_id: String(hidden.id), target_epic_iid: 1 }
  expect((await p.guest.post(`${p.path}/related_epics`, secret)).status).toBe(404)
  await own.member(hidden.id, p.guest, 10)
  expect((await p.guest.post(`${p.path}/related_epics`, secret)).status).toBe(201)
  expect(ids(await p.guest.get(`${p.path}/related_epics`))).toEqual([hidden.epic.id])
  const list = await p.stranger.get(`${p.path}/related_epics`)
  expect([list.body, list.headers.get('x-total')]).toEqual([[], '0'])
  expect((await p.stranger.get(p.notes)).body).toEqual([])
})

test('a former path of the other group leads to it', async () => {
  const p = await withEpic()
  const elsewhere = await withEpic({ visibility: 'public' })
  await own.member(elsewhere.id, p.guest, 10)
  const path = unique('renamed')
  expect((await own.root.put(`/groups/${elsewhere.id}`, { path })).status).toBe(200)
  const link = { target_group_id: elsewhere.fullPath, target_epic_iid: 1 }
  const { status, body } = await p.guest.post(`${p.path}/related_epics`, link)
  expect([status, body.target_epic.id]).toEqual([201, elsewhere.epic.id])
})
