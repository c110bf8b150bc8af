import { describe, expect, test } from 'vitest'
import type { Viewer } from '#platform/access/viewer.ts'
import { type Place, unique, w } from '#test/world.ts'
import { parseReferences } from './parse-references.ts'
import { resolveMentions } from './resolve-mentions.ts'
import { resolveReferences } from './resolve-references.ts'

const site = 'https://forge.example'
const as = ({ id }: { id: number | null }, admin = false): Viewer => ({
  id,
  admin,
  external: false,
  today: w.clock.now().toISOString().slice(0, 10),
  closed: [],
})

const mentions = (text: string, container: number, writer: Viewer) =>
  resolveMentions(w.db, writer, container, parseReferences(text, site))

describe('mentions', () => {
  const readers = async (text: string, container: number, writer: Viewer) => {
    const { users } = await mentions(text, container, writer)
    return users.filter(({ mayRead }) => mayRead).map(({ username }) => username)
  }

  test('are users that exist, whatever the case of their names, and whether they may read the place', async () => {
    const { namespaceId, guest, owner, stranger } = await w.project({ visibility: 'private' })
    const text = `@${guest.username.toUpperCase()} @${stranger.username} @${unique('nobody')} @${guest.username}`
    const { users, groups } = await mentions(text, namespaceId, as(owner))
    expect(groups).toEqual([])
    expect(users.toSorted((a, b) => a.id - b.id)).toEqual(
      [
        { id: guest.id, username: guest.username, mayRead: true },
        { id: stranger.id, username: stranger.username, mayRead: false },
      ].toSorted((a, b) => a.id - b.id),
    )
  })

  test('follow the visibility of the place, blocking, and administrators', async () => {
    const external = await w.user({ external: true })
    const insider = await w.user()
    const blocked = await w.user()
    await w.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', blocked.id).execute()
    const admin = await w.user({ admin: true })
    const text = [external, insider, blocked, admin].map(({ username }) => `@${username}`).join(' ')
    const open = await w.project({ visibility: 'public' })
    const inner = await w.project({ visibility: 'internal' })
    const closed = await w.project({ visibility: 'private' })
    const [out, ins, adm] = [external.username, insider.username, admin.username]
    const sorted = async (namespace: typeof open) =>
      (await readers(text, namespace.namespaceId, as(namespace.owner))).toSorted()
    expect(await sorted(open)).toEqual([out, ins, adm].toSorted())
    expect(await sorted(inner)).toEqual([ins, adm].toSorted())
    expect(await sorted(closed)).toEqual([adm])
  })

  test('of a group are told apart from those of people', async () => {
    const group = await w.group()
    const { namespaceId, owner } = await w.project({ visibility: 'public' })
    const writer = { ...as(owner), admin: true }
    const text = `@${group.fullPath} @${group.guest.username}`
    const { users, groups } = await mentions(text, namespaceId, writer)
    expect(groups).toEqual([{ id: group.id, full_path: group.fullPath }])
    expect(users.map(({ username }) => username)).toEqual([group.guest.username])
  })

  test('of a group that the writer may not see are nobody, and so is @all', async () => {
    const group = await w.group({ visibility: 'private' })
    const { namespaceId, owner } = await w.project({ visibility: 'public' })
    const none = { users: [], groups: [] }
    expect(await mentions(`@${group.fullPath} @all`, namespaceId, as(owner))).toEqual(none)
    expect(await w.statements(() => mentions('@all', namespaceId, as(owner)))).toEqual([])
  })

  test('members of a group that was invited to a private place may read it; one statement', async () => {
    const group = await w.group()
    const namespace = await w.project({ visibility: 'private' })
    await w.db
      .insertInto('shares')
      .values({
        namespace_id: namespace.namespaceId,
        group_id: group.id,
        access_level: 30,
        created_at: w.clock.now().toISOString(),
      })
      .execute()
    const text = `@${group.developer.username} @${namespace.stranger.username} @${group.fullPath}`
    const names = await readers(text, namespace.namespaceId, as(group.owner))
    expect(names).toContain(group.developer.username)
    expect(names).not.toContain(namespace.stranger.username)
    expect(await w.statements(() => mentions(text, namespace.namespaceId, as(group.owner)))).toHaveLength(1)
  })
})

describe('references', () => {
  const resolve = async (text: string, namespace: Place & { namespaceId: number }, reader: Viewer) => {
    const here = await w.db
      .selectFrom('namespaces')
      .select(['id as namespace_id', 'traversal_ids'])
      .where('id', '=', namespace.namespaceId)
      .executeTakeFirstOrThrow()
    return resolveReferences(w.db, reader, here, parseReferences(text, site))
  }
  const targets = async (...all: Parameters<typeof resolve>) =>
    (await resolve(...all)).map(({ target }) => target)

  test('to labels find those of the project and of the groups above, by name and id', async () => {
    const namespace = await w.project()
    const { id, owner, groupId } = namespace
    const bug = (await owner.post(`/projects/${id}/labels`, { name: 'bug', color: 'red' })).body
    const todo = (await w.root.post(`/groups/${groupId}/labels`, { name: 'to do', color: 'red' })).body
    const found = await resolve(`~bug ~"to do" ~${bug.id} ~gone #1`, namespace, as(owner))
    expect(found.map(({ target, reference }) => [target, reference.start])).toEqual([
      [{ type: 'Label', id: bug.id, name: 'bug' }, 0],
      [{ type: 'Label', id: todo.id, name: 'to do' }, 5],
      [{ type: 'Label', id: bug.id, name: 'bug' }, 14],
    ])
  })

  test('to other places lead only where the reader may look', async () => {
    const here = await w.project()
    const there = await w.project({ visibility: 'private' })
    const { body: bug } = await there.owner.post(`/projects/${there.id}/labels`, {
      name: 'bug',
      color: 'red',
    })
    const text = `${there.fullPath}~bug and ${site}/${there.fullPath} and ${there.fullPath}~none`
    expect(await targets(text, here, as(there.guest))).toEqual([
      { type: 'Label', id: bug.id, name: 'bug' },
      { type: 'Project', id: there.id, full_path: there.fullPath },
    ])
    expect(await targets(text, here, as(here.owner))).toEqual([])
    expect(await targets(text, here, as({ id: null }))).toEqual([])
    expect(await w.statements(() => targets(text, here, as(there.guest)))).toHaveLength(3)
  })

  test('to labels and milestones of other places lead nowhere where issues and merge requests are closed', async () => {
    const here = await w.project()
    const there = await w.project({ visibility: 'public' })
    await there.owner.post(`/projects/${there.id}/labels`, { name: 'bug', color: 'red' })
    await there.owner.post(`/projects/${there.id}/milestones`, { title: 'v1' })
    const found = (reader: { id: number }) =>
      targets(`${there.fullPath}~bug ${there.fullPath}%v1`, here, as(reader))
    expect(await found(here.owner)).toHaveLength(2)
    const both = { issues_access_level: 'private', merge_requests_access_level: 'disabled' }
    await there.owner.put(`/projects/${there.id}`, both)
    expect(await found(here.owner)).toEqual([])
    expect(await found(there.guest)).toHaveLength(2)
  })

  test('a label of another place is not found by its id', async () => {
    const here = await w.project()
    const there = await w.project()
    const { body: bug } = await there.owner.post(`/projects/${there.id}/labels`, {
      name: 'bug',
      color: 'red',
    })
    expect(await targets(`~${bug.id}`, here, as(w.root, true))).toEqual([])
  })

  const milestone = async (namespaceId: number, title: string, iid: number) =>
    w.db
      .insertInto('milestones')
      .values({ namespace_id: namespaceId, iid, title, created_at: 'now', updated_at: 'now' })
      .returning(['id', 'title'])
      .executeTakeFirstOrThrow()
  const asTarget = (one: { id: number; title: string }) => ({ type: 'Milestone', ...one })

  test('to milestones find those of the project and of the groups above, by title and iid, the nearest first', async () => {
    const above = await w.group()
    const group = await w.group({ parent: above.id })
    const namespace = await w.project({ parent: group.id })
    const far = await milestone(above.id, 'v1', 1)
    const near = await milestone(group.id, 'v1', 2)
    const own = await milestone(namespace.namespaceId, 'next release', 1)
    const top = await milestone(above.id, 'v2', 3)
    const numbered = await milestone(namespace.namespaceId, '77', 5)
    expect(
      await targets('%v1 %"next release" %1 %2 %3 %77 %5 %9 %gone %"2"', namespace, as(namespace.owner)),
    ).toEqual([near, own, own, near, top, numbered, numbered].map(asTarget))
    const cousin = await w.project({ parent: above.id })
    expect(await targets('%v1 %1 %"next release"', cousin, as(cousin.owner))).toEqual(
      [far, far].map(asTarget),
    )
    expect(await w.statements(() => targets('%v1 %1 ~x', namespace, as(namespace.owner)))).toHaveLength(3)
  })

  test('to milestones of other places lead only where the reader may look', async () => {
    const here = await w.project()
    const there = await w.project({ visibility: 'private' })
    const made = await milestone(there.namespaceId, 'v1', 1)
    const text = `${there.fullPath}%v1 and ${site}/${there.fullPath}/-/milestones/1 and %v1 and %${made.id}`
    expect(await targets(text, here, as(there.guest))).toEqual([made, made].map(asTarget))
    expect(await targets(text, here, as(here.owner))).toEqual([])
    expect(await targets(text, here, as({ id: null }))).toEqual([])
  })
})
