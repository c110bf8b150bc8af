import { describe, expect, test } from 'vitest'
import { type Actor, w } from '#test/world.ts'
import { addMilestone } from './test-support.ts'

/** A project with an issue of somebody's, by default its guest. */
async function opened(given: object = {}, visibility: 'private' | 'public' = 'private') {
  const p = await w.project({ visibility })
  const url = `/projects/${p.id}/issues`
  const open = (fields: object, by: Actor = p.guest) => by.post(url, { title: 'It breaks', ...fields })
  const { body } = await open(given)
  return { ...p, list: url, url: `${url}/${body.iid}`, issue: body, open }
}

const missing = { message: '404 Not found' }

describe('an issue', () => {
  test('is edited by its author: what it says, and whether it is open', async () => {
    const { guest, url } = await opened()
    const changes = { title: 'Better', description: 'Said well', state_event: 'close' }
    expect((await guest.put(url, changes)).body).toMatchObject({
      title: 'Better',
      description: 'Said well',
      state: 'closed',
    })
    expect((await guest.put(url, { state_event: 'reopen' })).body.state).toBe('opened')
  })

  test('is edited so by who is assigned, and by nobody else below Planner', async () => {
    const { reporter, developer, guest, stranger, url, planner } = await opened({}, 'public')
    const edit = async (by: Actor) => (await by.put(url, { title: `By ${by.username}` })).status
    const another = await w.user()
    expect(await edit(stranger)).toBe(403)
    expect((await planner.put(url, { assignee_ids: [stranger.id] })).status).toBe(200)
    expect(await edit(stranger)).toBe(200)
    expect(await Promise.all([guest, planner, reporter, developer].map(edit))).toEqual([200, 200, 200, 200])
    expect(await edit(another)).toBe(403)
    expect((await w.anonymous.put(url, { title: 'x' })).status).toBe(401)
  })

  test('has its planning changed from Planner up: from author and assignee it is left out', async () => {
    const p = await opened()
    await p.planner.put(p.url, { assignee_ids: [p.guest.id] })
    const milestone_id = await addMilestone(p)
    for (const changes of [
      { labels: '' },
      { add_labels: 'x' },
      { remove_labels: 'x' },
      { assignee_ids: [] },
      { assignee_id: 0 },
      { milestone_id },
      { milestone_id: 999_999_999 },
      { due_date: '2027-01-01' },
      { weight: 1 },
      { confidential: true },
      { discussion_locked: true },
      { issue_type: 'task' },
    ]) {
      const before = (await p.guest.get(p.url)).body
      const { status, body } = await p.guest.put(p.url, changes)
      expect({ changes, status, body }).toEqual({ changes, status: 200, body: before })
    }
    const stale = { 'if-unmodified-since': 'Sat, 01 Jan 2022 00:00:00 GMT' }
    expect((await p.guest.with(stale).put(p.url, { weight: 1 })).status).toBe(412)
    expect((await p.reporter.put(p.url, { weight: 1 })).status).toBe(200)
  })

  test('is sent back whole by its author, with what nobody but a planner may change', async () => {
    const p = await opened()
    await p.planner.put(p.url, { labels: 'bug', assignee_ids: [p.developer.id], weight: 2 })
    const { body } = await p.guest.get(p.url)
    const assignee_ids = body.assignees.map(({ id }: { id: number }) => id)
    const answer = await p.guest.put(p.url, { ...body, assignee_ids: [...assignee_ids, 7], title: 'Better' })
    expect(answer).toMatchObject({
      status: 200,
      body: { title: 'Better', labels: ['bug'], assignees: [{ id: p.developer.id }], weight: 2 },
    })
  })

  test('is deleted by owners and administrators', async () => {
    const p = await opened()
    for (const by of [p.guest, p.maintainer]) expect((await by.delete(p.url)).status).toBe(403)
    expect((await p.owner.delete(p.url)).status).toBe(204)
    expect((await p.admin.delete(`${p.list}/${(await p.open({})).body.iid}`)).status).toBe(204)
  })

  test('of an archived project is read, and changed by nobody', async () => {
    const p = await opened()
    await p.owner.post(`/projects/${p.id}/archive`)
    expect((await p.guest.get(p.url)).status).toBe(200)
    for (const by of [p.guest, p.owner, p.admin]) {
      expect((await by.put(p.url, { title: 'x' })).status).toBe(403)
      expect((await by.delete(p.url)).status).toBe(403)
    }
  })

  test('is found by its number in the project, not by its id or in another project', async () => {
    const p = await opened()
    const other = await w.project()
    for (const number of [p.issue.id + 1_000_000, 7, 2_147_483_647]) {
      const answer = await p.owner.get(`${p.list}/${number}`)
      expect([answer.status, answer.body]).toEqual([404, missing])
      expect((await p.owner.put(`${p.list}/${number}`, { title: 'x' })).body).toEqual(missing)
      expect((await p.owner.delete(`${p.list}/${number}`)).body).toEqual(missing)
    }
    expect((await other.owner.get(`/projects/${other.id}/issues/1`)).body).toEqual(missing)
    for (const number of ['x', '0', '-1', '2147483648', '1.5'])
      expect((await p.owner.get(`${p.list}/${number}`)).status).toBe(400)
  })
})

describe('a confidential issue', () => {
  test('is open to its author, its assignees and from Planner up', async () => {
    const p = await opened({ confidential: true })
    for (const by of [p.guest, p.planner, p.reporter, p.owner, p.admin])
      expect((await by.get(p.url)).status).toBe(200)
    const hidden = (await p.open({ confidential: true }, p.planner)).body
    const path = `${p.list}/${hidden.iid}`
    expect((await p.guest.get(path)).status).toBe(404)
    await p.planner.put(path, { assignee_ids: [p.guest.id] })
    expect((await p.guest.get(path)).status).toBe(200)
    await p.planner.put(path, { assignee_ids: [] })
    expect((await p.guest.get(path)).status).toBe(404)
  })

  test('looks to others like one that is not there, whatever they try', async () => {
    const p = await opened({}, 'public')
    const { iid } = (await p.open({ confidential: true }, p.planner)).body
    const attempts = async (by: Actor, path: string) => {
      const answers = [
        await by.get(path),
        await by.put(path, { title: 'x' }),
        await by.put(path, { weight: 1 }),
      ]
      return answers.map(({ status, text, headers }) => ({
        status,
        text,
        headers: [...headers.keys()].toSorted(),
      }))
    }
    for (const by of [p.guest, p.stranger]) {
      const seen = await attempts(by, `${p.list}/${iid}`)
      expect(seen.map(({ status }) => status)).toEqual([404, 404, 404])
      expect(seen).toEqual(await attempts(by, `${p.list}/999`))
    }
    expect((await p.anonymous.get(`${p.list}/${iid}`)).text).toBe(
      (await p.anonymous.get(`${p.list}/999`)).text,
    )
  })

  test('keeps its author, who may open one and not make it confidential later', async () => {
    const p = await opened({ confidential: true })
    expect(p.issue.confidential).toBe(true)
    expect((await p.guest.put(p.url, { confidential: false })).body.confidential).toBe(true)
    expect((await p.planner.put(p.url, { confidential: false })).body.confidential).toBe(false)
  })
})

describe('GET /issues/:id', () => {
  test('finds any issue by its id, for administrators', async () => {
    const p = await opened({ confidential: true })
    const { status, body } = await p.admin.get(`/issues/${p.issue.id}`)
    const references = { short: '#1', relative: `${p.fullPath}#1`, full: `${p.fullPath}#1` }
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { id: p.issue.id, subscribed: false, references },
    })
    expect((await p.owner.get(`/issues/${p.issue.id}`)).status).toBe(403)
    expect((await p.anonymous.get(`/issues/${p.issue.id}`)).status).toBe(401)
    expect((await p.admin.get('/issues/999999999')).body).toEqual(missing)
    expect((await p.admin.get('/issues/x')).status).toBe(400)
  })

  test('finds none of a project that is being deleted', async () => {
    const p = await opened()
    await p.owner.delete(`/projects/${p.id}`)
    expect((await p.admin.get(`/issues/${p.issue.id}`)).body).toEqual(missing)
  })
})
