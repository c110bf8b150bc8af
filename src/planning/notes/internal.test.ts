import { describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { w } from '#test/world.ts'
import { bodies, countFor, ids, withIssue } from './test-support.ts'

type Issue = Awaited<ReturnType<typeof withIssue>>

/** An issue of a public project with an open and an internal note, the latter by the planner. */
async function withInternal() {
  const p = await withIssue({ visibility: 'public' })
  await p.guest.post(p.path, { body: 'open' })
  const { body: note } = await p.planner.post(p.path, { body: 'internal', internal: true })
  return { ...p, note }
}

const demote = ({ namespaceId }: Issue, { id }: { id: number }) =>
  w.db
    .updateTable('members')
    .set({ access_level: levels.guest })
    .where('namespace_id', '=', namespaceId)
    .where('user_id', '=', id)
    .execute()

describe('internal notes', () => {
  test('are in no list, total, header, count or discussion of those who may not see them', async () => {
    const p = await withInternal()
    for (const who of [p.guest, p.stranger]) {
      const list = await who.get(`${p.path}?per_page=1`)
      expect(bodies(list)).toEqual(['open'])
      expect(['x-total', 'x-total-pages', 'x-next-page'].map((name) => list.headers.get(name))).toEqual([
        '1',
        '1',
        '',
      ])
      expect(list.headers.get('link')).not.toContain('rel="next"')
      expect(ids(await who.get(`${p.path}?page=2`))).toEqual([])
      expect((await who.get(`${p.path}?page=2`)).headers.get('x-total')).toBe('1')
      expect((await who.get(`${p.path}/${p.note.id}`)).body.message).toBe('404 Note Not Found')
      expect(await countFor(who, p)).toBe(1)
      const discussions = await who.get(p.discussions)
      expect(discussions.body.map(({ notes }: { notes: unknown[] }) => notes.length)).toEqual([1])
      expect(discussions.headers.get('x-total')).toBe('1')
    }
  })

  test('are seen from Planner up', async () => {
    const p = await withInternal()
    for (const who of [
      p.planner,
      p.reporter,
      p.securityManager,
      p.developer,
      p.maintainer,
      p.owner,
      p.admin,
    ]) {
      const list = await who.get(p.path)
      expect([bodies(list), list.headers.get('x-total')]).toEqual([['internal', 'open'], '2'])
      expect((await who.get(`${p.path}/${p.note.id}`)).body).toMatchObject({
        internal: true,
        confidential: true,
      })
      expect((await who.get(p.discussions)).headers.get('x-total')).toBe('2')
      expect(await countFor(who, p)).toBe(2)
    }
  })

  test('are seen by their author, also when they are a guest by now', async () => {
    const p = await withInternal()
    await p.developer.post(p.path, { body: 'of another', internal: true })
    await demote(p, p.planner)
    expect(bodies(await p.planner.get(p.path))).toEqual(['internal', 'open'])
    expect((await p.planner.get(p.discussions)).headers.get('x-total')).toBe('2')
    expect(await countFor(p.planner, p)).toBe(2)
    expect((await p.planner.put(`${p.path}/${p.note.id}`, { body: 'reworded' })).status).toBe(200)
    expect((await p.planner.put(`${p.path}/${p.note.id}`, { confidential: false })).status).toBe(403)
  })

  test('are written from Planner up only', async () => {
    const p = await withIssue({ visibility: 'public' })
    for (const who of [p.guest, p.stranger]) {
      expect((await who.post(p.path, { body: 'x', internal: true })).status).toBe(403)
      expect((await who.post(p.path, { body: 'x', confidential: true })).status).toBe(403)
    }
    expect((await p.planner.post(p.path, { body: 'x', internal: true })).status).toBe(201)
  })

  test('internal wins over the older confidential', async () => {
    const p = await withIssue()
    const of = async (asked: object) => (await p.planner.post(p.path, { body: 'x', ...asked })).body.internal
    expect(await of({ confidential: true })).toBe(true)
    expect(await of({ internal: false, confidential: true })).toBe(false)
    expect(await of({ internal: true, confidential: false })).toBe(true)
  })

  test('are to others as if they were not there: 404 for changes, too', async () => {
    const p = await withInternal()
    for (const who of [p.guest, p.stranger]) {
      const path = `${p.path}/${p.note.id}`
      expect((await who.put(path, { body: 'x' })).body.message).toBe('404 Note Not Found')
      expect((await who.delete(path)).body.message).toBe('404 Note Not Found')
    }
  })

  test('and others move between the counts when they are changed and deleted', async () => {
    const p = await withInternal()
    const path = `${p.path}/${p.note.id}`
    expect((await p.planner.put(path, { confidential: false })).body.internal).toBe(false)
    expect(await countFor(p.guest, p)).toBe(2)
    expect((await p.planner.put(path, { confidential: true })).body.internal).toBe(true)
    expect(await countFor(p.guest, p)).toBe(1)
    await p.planner.delete(path)
    expect([await countFor(p.guest, p), await countFor(p.owner, p)]).toEqual([1, 1])
  })

  test('tell nobody elsewhere what they refer to', async () => {
    const p = await withIssue({ visibility: 'public' })
    const { body: other } = await p.reporter.post(`/projects/${p.id}/issues`, { title: 'Another' })
    await p.planner.post(p.path, { body: `like #${other.iid}`, internal: true })
    expect(ids(await p.owner.get(`/projects/${p.id}/issues/${other.iid}/notes`))).toEqual([])
  })
})

describe('records of mentions', () => {
  test('are seen by those who may see what mentions it, and are in no total of others', async () => {
    const open = await withIssue({ visibility: 'public' })
    const hidden = await w.project()
    await hidden.owner.post(`/projects/${hidden.id}/issues`, {
      title: 'x',
      description: `see ${open.fullPath}#${open.issue.iid}`,
    })
    const mention = `mentioned in issue ${hidden.fullPath}#1`
    const seen = async (who: typeof open.guest) => {
      const [list, discussions] = [await who.get(open.path), await who.get(open.discussions)]
      return [bodies(list), list.headers.get('x-total'), discussions.headers.get('x-total')]
    }
    expect(await seen(hidden.guest)).toEqual([[mention], '1', '1'])
    expect(await seen(open.admin)).toEqual([[mention], '1', '1'])
    for (const who of [open.owner, open.stranger]) expect(await seen(who)).toEqual([[], '0', '0'])
    const { body: note } = await hidden.guest.get(open.path)
    expect((await open.owner.get(`${open.path}/${note[0].id}`)).body.message).toBe('404 Note Not Found')
  })
})

describe('the e-mail address of an author', () => {
  test('is the public one or none, and the private one for administrators and the author', async () => {
    const p = await withIssue({ visibility: 'public' })
    const { body: note } = await p.developer.post(p.path, { body: 'x' })
    const emails = async (who: typeof p.guest) => {
      const { author } = (await who.get(`${p.path}/${note.id}`)).body
      return [author.email, author.public_email]
    }
    const { email } = (await p.developer.get('/user')).body
    expect(await emails(p.developer)).toEqual([email, null])
    expect(await emails(p.admin)).toEqual([email, null])
    for (const other of [p.owner, p.stranger]) expect(await emails(other)).toEqual([null, null])
    await w.db
      .updateTable('users')
      .set({ public_email: 'shown@example.com' })
      .where('id', '=', p.developer.id)
      .execute()
    expect(await emails(p.stranger)).toEqual(['shown@example.com', 'shown@example.com'])
  })
})
