import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { pino } from 'pino'
import { jobContext } from '#platform/jobs/context.ts'
import { unique, w } from '#test/world.ts'
import { removeSubtree } from './remove-subtree.ts'
import { lockNode } from './lock.ts'
import { hideSubtree } from './tree.ts'
import { until } from '#test/until.ts'

const context = jobContext(
  { ...w.running.services, log: pino({ level: 'silent' }) },
  { attempt: 1, signal: new AbortController().signal },
)

const rowsBelow = async (id: number) =>
  (await w.db.selectFrom('namespaces').select('id').where('full_path', 'like', `-/deleted/${id}%`).execute())
    .length

describe('DELETE /groups/:id', () => {
  test('hides everything at once, frees the paths, and a job removes the rows', async () => {
    const top = await w.group({ visibility: 'public' })
    const inner = await w.group({ parent: top.id, path: 'inner', visibility: 'public' })
    const project = await w.project({ parent: inner.id, path: 'deep', visibility: 'public' })
    const friend = await w.group({ visibility: 'public' })
    await w.root.post(`/groups/${friend.id}/share`, { group_id: inner.id, group_access: 30 })
    await w.root.post(`/groups/${inner.id}/labels`, { name: 'x', color: 'red' })
    const answer = await top.owner.delete(`/groups/${inner.id}`)
    expect([answer.status, answer.body]).toEqual([202, { message: '202 Accepted' }])
    for (const path of [
      `/groups/${inner.id}`,
      `/groups/${inner.encoded}`,
      `/groups/${inner.id}/labels`,
      `/groups/${inner.id}/members`,
      `/projects/${project.id}/labels`,
      `/projects/${project.encoded}/members/all`,
      `/namespaces/${inner.id}`,
    ]) {
      expect({ path, status: (await w.root.get(path)).status }).toEqual({ path, status: 404 })
    }
    const below = await w.root.get(`/groups/${top.id}/descendant_groups`)
    expect([below.body, below.headers.get('x-total')]).toEqual([[], '0'])
    expect((await w.root.get(`/groups/${friend.id}`)).body.shared_with_groups).toEqual([])
    const members = await w.root.get(`/groups/${friend.id}/members/all`)
    expect(members.headers.get('x-total')).toBe('7')
    const again = { name: 'inner', path: 'inner', parent_id: top.id }
    expect((await top.owner.post('/groups', again)).status).toBe(201)
    await until(async () => expect(await rowsBelow(inner.id)).toBe(0))
    // The job worked with connections of its own.
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and application_name = 'forgelet long jobs'`.execute(w.db)
    expect(rows.length).toBeGreaterThan(0)
    const projects = await w.db.selectFrom('projects').select('id').where('id', '=', project.id).execute()
    expect(projects).toEqual([])
    expect((await w.root.get(`/groups/${top.id}/subgroups`)).body).toHaveLength(1)
  })

  test('what was deleted before inside it is no obstacle', async () => {
    const top = await w.group({ path: unique('a-path-longer-than-what-hides') })
    for (const path of ['one', 'two']) {
      const inner = await w.group({ parent: top.id, path })
      // Hidden and not yet removed.
      await w.write(async (tx) => hideSubtree(tx, await lockNode(tx, inner.id)))
    }
    expect((await top.owner.put(`/groups/${top.id}`, { path: unique('renamed') })).status).toBe(200)
    expect((await top.owner.delete(`/groups/${top.id}`)).status).toBe(202)
    expect((await w.root.get(`/groups/${top.id}`)).status).toBe(404)
  })

  test('a job that is killed half-way, or runs twice, leaves what running once leaves', async () => {
    const top = await w.group()
    const inner = await w.group({ parent: top.id })
    await w.project({ parent: inner.id })
    await w.write(async (tx) => hideSubtree(tx, await lockNode(tx, top.id)))
    const killed = {
      ...context,
      transact: <T>(work: Parameters<typeof w.write<T>>[0]): Promise<T> =>
        w.write(async (tx) => {
          await work(tx)
          throw new Error('killed')
        }),
    }
    await expect(removeSubtree.execute({ namespace_id: top.id }, killed)).rejects.toThrow('killed')
    expect(await rowsBelow(top.id)).toBe(3)
    await removeSubtree.execute({ namespace_id: top.id }, context)
    expect(await rowsBelow(top.id)).toBe(0)
    await removeSubtree.execute({ namespace_id: top.id }, context)
  })

  test('is for owners; a path given must be the right one', async () => {
    const { id, fullPath, owner, maintainer } = await w.group()
    expect((await maintainer.delete(`/groups/${id}`)).status).toBe(403)
    expect((await owner.delete(`/groups/${id}?full_path=other`)).status).toBe(400)
    expect((await owner.delete(`/groups/${id}?permanently_remove=true`)).status).toBe(400)
    expect((await owner.delete(`/groups/${id}?permanently_remove=true&full_path=${fullPath}`)).status).toBe(
      202,
    )
    expect((await owner.delete(`/groups/${id}`)).status).toBe(404)
  })
})
