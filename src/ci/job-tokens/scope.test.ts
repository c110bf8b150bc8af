import { describe, expect, test } from 'vitest'
import { changeSettings } from '#platform/settings/change-settings.ts'
import type { Client } from '#test/client.ts'
import { fillTables } from '#test/plans.ts'
import { w } from '#test/world.ts'
import { runningJob } from './test-support.ts'

/** A project with a running job, and another one in which whoever started the job is a maintainer. */
async function withOther() {
  const p = await runningJob()
  const other = await w.project()
  await w.member(other.namespaceId, p.developer, 40)
  const base = `/projects/${other.id}`
  const reaches = async () => (await p.client.get(`${base}/environments`)).status === 200
  return { p, other, base, scope: `${base}/job_token_scope`, reaches }
}

const audited = async (project: { readonly id: number }) => {
  const rows = await w.db
    .selectFrom('audit_events')
    .select('event_name')
    .where('entity_type', '=', 'Project')
    .where('entity_id', '=', project.id)
    .orderBy('id')
    .execute()
  return rows.map(({ event_name }) => event_name)
}

const ids = async (by: Client, path: string) =>
  (await by.get(path)).body.map(({ id }: { readonly id: number }) => id)

describe('the allow-list of a project', () => {
  test('lets the jobs of a project in, with the rights of whoever started them', async () => {
    const { p, other, base, scope, reaches } = await withOther()
    const list = `${scope}/allowlist`
    expect(await ids(other.maintainer, list)).toEqual([other.id])
    const { status, body } = await other.maintainer.post(list, { target_project_id: p.id })
    // Whoever adds a project may see it.
    expect([status, body.message]).toEqual([404, '404 Project Not Found'])
    await w.member(p.namespaceId, other.maintainer, 10)
    const added = await other.maintainer.post(list, { target_project_id: p.id })
    expect([added.status, added.body]).toEqual([
      201,
      { source_project_id: other.id, target_project_id: p.id },
    ])
    expect(await reaches()).toBe(true)
    expect((await p.client.get(`${base}/secure_files`)).status).toBe(200)
    expect(await ids(other.maintainer, list)).toEqual([p.id, other.id].toSorted((a, b) => a - b))

    const again = await other.maintainer.post(list, { target_project_id: p.id })
    expect([again.status, again.body.message]).toEqual([
      400,
      '400 Bad request - This project is already in the job token allowlist.',
    ])
    expect((await other.maintainer.post(list, { target_project_id: other.id })).status).toBe(400)
    expect((await other.maintainer.delete(`${list}/${p.id}`)).status).toBe(204)
    expect(await reaches()).toBe(false)
    expect((await other.maintainer.delete(`${list}/${p.id}`)).body.message).toBe('404 Project Not Found')
    expect((await other.maintainer.delete(`${list}/999999999`)).status).toBe(404)
  })

  test('lets the jobs of all projects below a group in', async () => {
    const { p, other, scope, reaches } = await withOther()
    const list = `${scope}/groups_allowlist`
    const elsewhere = await w.group({ visibility: 'public' })
    await other.maintainer.post(list, { target_group_id: elsewhere.id })
    expect(await reaches()).toBe(false)
    const { status, body } = await w.root.post(list, { target_group_id: p.groupId })
    expect([status, body]).toEqual([201, { source_project_id: other.id, target_group_id: p.groupId }])
    expect(await reaches()).toBe(true)
    const shown = (await other.maintainer.get(list)).body
    expect(shown.map(({ id }: { id: number }) => id)).toEqual(
      [elsewhere.id, p.groupId].toSorted((a, b) => a - b),
    )
    expect(Object.keys(shown[0])).toEqual(['id', 'web_url', 'name'])
    const again = await w.root.post(list, { target_group_id: p.groupId })
    expect(again.body.message).toBe('400 Bad request - This group is already in the job token allowlist.')
    expect((await other.maintainer.delete(`${list}/${p.groupId}`)).status).toBe(204)
    expect(await reaches()).toBe(false)
    expect((await other.maintainer.delete(`${list}/${p.groupId}`)).body.message).toBe('404 Group Not Found')
  })

  test('describes to its maintainers what they may not see by its name alone', async () => {
    const { p, other, scope } = await withOther()
    await p.maintainer.put(p.base, { description: 'A secret plan' })
    await w.root.post(`${scope}/allowlist`, { target_project_id: p.id })
    const descriptions = async (by: Client) =>
      (await by.get(`${scope}/allowlist`)).body
        .filter(({ id }: { id: number }) => id === p.id)
        .map(({ path_with_namespace, description }: Record<string, string>) => [
          path_with_namespace,
          description,
        ])
    expect(await descriptions(other.maintainer)).toEqual([[p.fullPath, null]])
    expect(await descriptions(w.root)).toEqual([[p.fullPath, 'A secret plan']])
  })

  test('has at most 200 projects and groups', async () => {
    const { p, other, scope } = await withOther()
    const links = Array.from({ length: 199 }, (_, index) => ({
      project_id: other.id,
      // Of nothing that there is.
      namespace_id: 9_000_000_000 + index,
      created_at: new Date().toISOString(),
    }))
    await fillTables(w, (db) => db.insertInto('ci_job_token_scope_links').values(links).execute())
    const add = async () => {
      const { status, body } = await w.root.post(`${scope}/allowlist`, { target_project_id: p.id })
      return [status, body.message]
    }
    const one = await w.group()
    expect((await w.root.post(`${scope}/groups_allowlist`, { target_group_id: one.id })).status).toBe(201)
    expect(await add()).toEqual([400, '400 Bad request - an allow-list has at most 200 projects and groups'])
  })

  test('counts, unless the project and the instance say that all jobs are let in', async () => {
    const { other, scope, reaches } = await withOther()
    const { settingsView } = w.running.services
    const enforce = async (enforce_ci_inbound_job_token_scope_enabled: boolean) => {
      await w.write((tx) => changeSettings(tx, { enforce_ci_inbound_job_token_scope_enabled }))
      await settingsView.reload()
    }
    const set = (enabled: boolean) => other.maintainer.patch(scope, { enabled })
    const shown = async () => (await other.maintainer.get(scope)).body
    expect(await shown()).toEqual({ inbound_enabled: true, outbound_enabled: false })
    const refused = await set(false)
    expect([refused.status, refused.body.message]).toEqual([
      400,
      { enabled: ['cannot be false: the instance enforces allow-lists'] },
    ])
    await enforce(false)
    try {
      expect(await reaches()).toBe(false)
      expect((await set(false)).status).toBe(204)
      expect(await shown()).toEqual({ inbound_enabled: false, outbound_enabled: false })
      expect(await reaches()).toBe(true)
      // Other changes of the project leave it as it is.
      await other.maintainer.put(`/projects/${other.id}`, { description: 'x', lfs_enabled: false })
      expect(await reaches()).toBe(true)
      await enforce(true)
      expect(await reaches()).toBe(false)
      expect((await set(true)).status).toBe(204)
    } finally {
      await enforce(true)
    }
    expect((await other.maintainer.patch(scope, {})).status).toBe(400)
  })

  test('keeps a record of its changes', async () => {
    const { p, other, scope } = await withOther()
    await w.root.post(`${scope}/allowlist`, { target_project_id: p.id })
    await w.root.delete(`${scope}/allowlist/${p.id}`)
    await w.root.post(`${scope}/groups_allowlist`, { target_group_id: p.groupId })
    await w.root.delete(`${scope}/groups_allowlist/${p.groupId}`)
    expect((await audited(other)).filter((name) => name.startsWith('secure_ci'))).toEqual([
      'secure_ci_job_token_project_added',
      'secure_ci_job_token_project_removed',
      'secure_ci_job_token_group_added',
      'secure_ci_job_token_group_removed',
    ])
  })
})
