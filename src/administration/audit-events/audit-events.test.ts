import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, linkTo } from '#test/client.ts'
import { openWorld, unique, type World } from '#test/world.ts'
import type { AuditRecord } from './test-support.ts'

let w: World
beforeAll(async () => void (w = await openWorld(undefined, 'premium')))
afterAll(() => w.running.stop())

const refusal = ({ status, body }: Answer) => [status, body.message]
const namesIn = ({ body }: Answer) => body.map(({ event_name }: AuditRecord) => event_name)

/** A project that was made more visible by its owner. */
async function opened() {
  const p = await w.project()
  await w.db.updateTable('namespaces').set({ visibility: 'public' }).where('id', '=', p.groupId).execute()
  await p.owner.put(`/projects/${p.id}`, { visibility: 'public' })
  return p
}

describe('an audit event', () => {
  test('tells who did what to what, from where and when', async () => {
    w.clock.hold('2031-02-03T04:05:06.789Z')
    const p = await opened()
    const [event] = (await p.maintainer.get(`/projects/${p.id}/audit_events`)).body
    const { body: author } = await w.root.get(`/users/${p.owner.id}`)
    expect(event).toEqual({
      id: expect.any(Number),
      author_id: p.owner.id,
      entity_id: p.id,
      entity_type: 'Project',
      entity_path: p.fullPath,
      event_name: 'project_visibility_level_updated',
      details: {
        change: 'visibility',
        from: 'private',
        to: 'public',
        author_name: author.name,
        author_email: author.email,
        target_id: p.id,
        target_type: 'Project',
        target_details: p.fullPath,
        ip_address: '127.0.0.1',
        entity_path: p.fullPath,
        event_name: 'project_visibility_level_updated',
      },
      created_at: '2031-02-03T04:05:06.789Z',
    })
    expect((await p.maintainer.get(`/projects/${p.id}/audit_events/${event.id}`)).body).toEqual(event)
    expect((await w.root.get(`/audit_events/${event.id}`)).body).toEqual(event)
  })

  test('keeps names and e-mail addresses of accounts that are gone', async () => {
    const admin = await w.user({ admin: true, name: 'Ada', email: 'ada@audit.example' })
    const { body: group } = await admin.post('/groups', { name: unique('g'), path: unique('g') })
    await w.member(group.id, await w.user(), 50)
    expect((await w.root.delete(`/users/${admin.id}`)).status).toBe(204)
    const { body } = await w.root.get(`/audit_events?entity_type=Group&entity_id=${group.id}&per_page=100`)
    const created = body.find(({ event_name }: AuditRecord) => event_name === 'group_created')
    expect(created).toMatchObject({
      author_id: admin.id,
      details: { author_name: 'Ada', author_email: 'ada@audit.example' },
    })
    const deleted = await w.root.get(`/audit_events?entity_type=User&entity_id=${admin.id}&per_page=1`)
    expect(deleted.body[0]).toMatchObject({
      event_name: 'user_destroyed',
      entity_path: admin.username,
      details: { remove: 'user', target_details: 'Ada' },
    })
  })

  test('of somebody who deleted their own account still says who it was', async () => {
    const admin = await w.user({ admin: true, name: 'Grace', email: 'grace@audit.example' })
    expect((await admin.delete(`/users/${admin.id}`)).status).toBe(204)
    const { body } = await w.root.get(`/audit_events?entity_type=User&entity_id=${admin.id}&per_page=1`)
    expect(body[0]).toMatchObject({
      entity_path: admin.username,
      details: { author_name: 'Grace', author_email: 'grace@audit.example' },
    })
  })

  test('stays in the list of the instance when its project or group is deleted', async () => {
    const p = await opened()
    await p.owner.delete(`/projects/${p.id}`)
    expect(refusal(await p.owner.get(`/projects/${p.id}/audit_events`))).toEqual([
      404,
      '404 Project Not Found',
    ])
    await w.root.delete(`/groups/${p.groupId}`)
    await expect
      .poll(() => w.db.selectFrom('namespaces').select('id').where('id', '=', p.groupId).execute())
      .toEqual([])
    const ofProject = await w.root.get(`/audit_events?entity_type=Project&entity_id=${p.id}`)
    expect(namesIn(ofProject).slice(0, 2)).toEqual(['project_destroyed', 'project_visibility_level_updated'])
    expect(ofProject.body[0]).toMatchObject({ entity_path: p.fullPath, details: { remove: 'project' } })
    const ofGroup = await w.root.get(`/audit_events?entity_type=Group&entity_id=${p.groupId}`)
    expect(namesIn(ofGroup)[0]).toBe('group_destroyed')
  })

  test('stays with its project when that is transferred', async () => {
    const p = await opened()
    const other = await w.group({ visibility: 'public' })
    await w.root.put(`/projects/${p.id}/transfer`, { namespace: other.id })
    const { body } = await p.owner.get(`/projects/${p.id}/audit_events`)
    expect(body[0]).toMatchObject({
      event_name: 'project_namespace_updated',
      details: { change: 'namespace', from: p.fullPath },
    })
    expect(body[1]).toMatchObject({ event_name: 'project_visibility_level_updated', entity_path: p.fullPath })
  })
})

describe('lists of audit events', () => {
  test('show developers what they did themselves, and those above what everybody did', async () => {
    const p = await w.project()
    const g = await w.group()
    for (const namespaceId of [p.namespaceId, g.id]) await w.member(namespaceId, await w.user(), 10)
    const { id: own } = p.developer
    const authors = async (by: typeof p.developer, path: string) => {
      const { status, body, headers } = await by.get(`${path}/audit_events`)
      expect([status, headers.get('x-total')]).toEqual([200, String(body.length)])
      return new Set(body.map(({ author_id }: AuditRecord) => author_id))
    }
    const project = `/projects/${p.id}`
    const [one, another] = (await p.owner.get(`${project}/audit_events`)).body
    await w.db.updateTable('audit_events').set({ author_id: own }).where('id', '=', one.id).execute()
    expect(await authors(p.developer, project)).toEqual(new Set([own]))
    expect((await authors(p.maintainer, project)).size).toBeGreaterThan(1)
    expect((await p.developer.get(`${project}/audit_events/${one.id}`)).body.id).toBe(one.id)
    expect(refusal(await p.developer.get(`${project}/audit_events/${another.id}`))).toEqual([
      404,
      '404 Audit Event Not Found',
    ])
    expect(refusal(await p.securityManager.get(`${project}/audit_events`))).toEqual([403, '403 Forbidden'])
    for (const by of [g.developer, g.maintainer])
      expect(await authors(by, `/groups/${g.id}`)).toEqual(new Set())
    expect((await authors(g.owner, `/groups/${g.id}`)).size).toBeGreaterThan(0)
  })

  test('of a group have what is about the group itself, of a project what is about the project', async () => {
    const p = await opened()
    const ofGroup = await w.root.get(`/groups/${p.groupId}/audit_events`)
    expect(namesIn(ofGroup)).toEqual(['group_created'])
    const ofProject = await p.owner.get(`/projects/${p.id}/audit_events`)
    expect(new Set(ofProject.body.map(({ entity_id }: AuditRecord) => entity_id))).toEqual(new Set([p.id]))
    const [{ id }] = ofProject.body
    const elsewhere = await w.project()
    for (const path of [`/projects/${elsewhere.id}`, `/groups/${p.groupId}`]) {
      expect(refusal(await w.root.get(`${path}/audit_events/${id}`))).toEqual([
        404,
        '404 Audit Event Not Found',
      ])
    }
  })

  test('can be narrowed by time and by what they are about, all at once', async () => {
    w.clock.hold('2032-01-01T00:00:00.000Z')
    const p = await w.project()
    const rename = (name: string) => p.owner.put(`/projects/${p.id}`, { name })
    for (const day of [2, 3, 4]) {
      w.clock.hold(`2032-01-0${day}T00:00:00.000Z`)
      await rename(`Name ${day}`)
    }
    const at = (query: string) => w.root.get(`/audit_events?entity_type=Project&entity_id=${p.id}&${query}`)
    const values = ({ body }: Answer) => body.map(({ details }: AuditRecord) => details['to'])
    const list = `/projects/${p.id}/audit_events`
    for (const find of [at, (query: string) => p.owner.get(`${list}?${query}`)]) {
      expect(values(await find('created_after=2032-01-03'))).toEqual(['Name 4', 'Name 3'])
      expect(values(await find('created_after=2032-01-02&created_before=2032-01-03T00:00:00Z'))).toEqual([
        'Name 3',
        'Name 2',
      ])
      expect(values(await find('created_after=2032-01-03T00:00:00.001Z'))).toEqual(['Name 4'])
      expect((await find('created_after=2033-01-01')).body).toEqual([])
    }
    const others = await w.root.get(
      `/audit_events?entity_type=Group&entity_id=${p.id}&created_after=2032-01-03`,
    )
    expect(others.body.every(({ entity_type }: AuditRecord) => entity_type === 'Group')).toBe(true)
  })

  test('refuse an id without what kind of thing it is of', async () => {
    expect((await w.root.get('/audit_events?entity_id=1')).body).toEqual({
      message: '400 (Bad request) "entity_type" not given',
      error: 'entity_type is missing',
    })
  })

  test.each([
    ['entity_type=Issue', 'entity_type does not have a valid value'],
    ['entity_type=User&entity_id=x', 'entity_id is invalid'],
    ['entity_type=User&entity_id=0', 'entity_id does not have a valid value'],
    ['created_after=yesterday', 'created_after is invalid'],
    ['created_before=2026-02-30', 'created_before is invalid'],
    ['order_by=created_at', 'order_by does not have a valid value'],
    ['sort=newest', 'sort does not have a valid value'],
  ])('refuse %s', async (query, error) => {
    const { status, body } = await w.root.get(`/audit_events?${query}`)
    expect([status, body.error]).toEqual([400, error])
  })

  test('of the instance may be asked for what concerns the instance', async () => {
    await w.root.put('/application/settings', { max_attachment_size: 77 })
    await w.root.put('/application/settings', { max_attachment_size: 78 })
    const { body } = await w.root.get('/audit_events?entity_type=Gitlab::Audit::InstanceScope&per_page=1')
    expect(body[0]).toMatchObject({
      event_name: 'application_setting_updated',
      entity_id: 1,
      entity_path: 'gitlab_instance',
      details: { change: 'max attachment size', from: '77', to: '78' },
    })
  })

  test('know no event that is not there', async () => {
    expect(refusal(await w.root.get('/audit_events/999999999'))).toEqual([404, '404 Audit Event Not Found'])
    expect((await w.root.get('/audit_events/x')).status).toBe(400)
  })

  test('take 2 statements, one event as many', async () => {
    const p = await opened()
    const [{ id }] = (await w.root.get('/audit_events?per_page=1')).body
    for (const path of [
      '/audit_events',
      `/projects/${p.id}/audit_events`,
      `/groups/${p.groupId}/audit_events`,
    ]) {
      expect(await w.statements(() => w.root.get(path))).toHaveLength(2)
    }
    expect(await w.statements(() => w.root.get(`/audit_events/${id}`))).toHaveLength(2)
    expect(await w.statements(() => w.root.get(`/projects/${p.id}/audit_events/${id}`))).toHaveLength(2)
  })
})

describe('pages by keys', () => {
  test('go from the newest on, by the link alone', async () => {
    const p = await w.project()
    for (let count = 0; count < 5; count += 1)
      await p.owner.put(`/projects/${p.id}`, { name: `Name ${count}` })
    const list = `/projects/${p.id}/audit_events`
    const all = (await p.owner.get(`${list}?per_page=100`)).body.map(({ id }: AuditRecord) => id)
    const seen: number[] = []
    let next: string | undefined = `${list}?pagination=keyset&per_page=2&order_by=id&sort=desc`
    while (next !== undefined) {
      const page: Answer = await p.owner.get(next)
      expect(page.headers.get('x-total')).toBeNull()
      expect(page.headers.get('link') ?? 'cursor=').toContain('cursor=')
      seen.push(...page.body.map(({ id }: AuditRecord) => id))
      next = linkTo('next', page)
    }
    expect(seen).toEqual(all)
  })

  test('need no order, and have no other', async () => {
    const by = (query: string) => w.root.get(`/audit_events?pagination=keyset&per_page=1${query}`)
    expect((await by('')).body).toEqual((await by('&order_by=id&sort=desc')).body)
    expect((await by('&sort=asc')).status).toBe(405)
  })
})

describe('below the plan that has them', () => {
  let free: World
  beforeAll(async () => void (free = await openWorld()))
  afterAll(() => free.running.stop())

  test('no list is there, and events are kept all the same', async () => {
    const p = await free.project()
    for (const list of [
      '/audit_events',
      `/projects/${p.id}/audit_events`,
      `/groups/${p.groupId}/audit_events`,
    ]) {
      for (const path of [list, `${list}/1`]) {
        expect(refusal(await free.root.get(path))).toEqual([
          403,
          '403 Forbidden - Audit events needs premium',
        ])
      }
    }
    // Whoever may not know of the place learns nothing more.
    expect((await p.stranger.get(`/projects/${p.id}/audit_events`)).status).toBe(403)
    expect((await p.anonymous.get(`/projects/${p.id}/audit_events`)).status).toBe(401)
    const { rows } = await sql<{ count: number }>`
      select count(*) from audit_events where entity_type = 'Project' and entity_id = ${p.id}`.execute(
      free.db,
    )
    expect(rows[0]?.count).toBeGreaterThan(0)
  })
})
