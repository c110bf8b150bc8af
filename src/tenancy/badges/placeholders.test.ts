import { describe, expect, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { unique, w } from '#test/world.ts'
import { baseOf, type Kind, made, plain, queryOf } from './test-support.ts'

/** How a text is shown as the link of a badge. */
async function rendered(kind: Kind, place: { id: number }, link_url: string, by: Client = w.root) {
  const { body } = await by.get(`${baseOf(kind, place)}/render?${queryOf({ ...plain, link_url })}`)
  expect(body.link_url).toBe(link_url)
  return body.rendered_link_url
}

describe('placeholders', () => {
  const base = 'https://x.example/'
  const valueOf = async (name: string, kind: Kind, place: { id: number }, by: Client = w.root) =>
    (await rendered(kind, place, `${base}%{${name}}`, by)).slice(base.length)

  /** A project two groups deep, whose names need to be encoded. */
  async function project() {
    const { body: top } = await w.root.post('/groups', { name: 'Top (1st)', path: unique('top') })
    const inner = await w.group({ parent: top.id })
    const path = unique('app')
    const { body } = await w.root.post('/projects', {
      name: 'Ünïque + 1',
      path,
      namespace_id: inner.id,
    })
    expect(body.path_with_namespace).toBe(`${inner.fullPath}/${path}`)
    return { id: Number(body.id), path, fullPath: `${inner.fullPath}/${path}`, inner }
  }

  test('each of the specification has its value, with slashes and otherwise percent-encoded', async () => {
    const { id, path, fullPath, inner } = await project()
    const values = {
      project_path: fullPath,
      project_title: '%C3%9Cn%C3%AFque%20%2B%201',
      project_name: path,
      project_id: String(id),
      project_namespace: inner.fullPath,
      group_name: 'Top%20%281st%29',
      service_server: new URL(w.url).hostname,
      service_pages_domain: '',
      default_branch: '',
      commit_sha: '',
      latest_tag: '',
    }
    for (const [name, value] of Object.entries(values)) {
      expect([name, await valueOf(name, 'project', { id })]).toEqual([name, value])
    }
    const all = Object.keys(values)
      .map((name) => `%{${name}}`)
      .join('&')
    expect(await rendered('project', { id }, `${base}?${all}`)).toBe(
      `${base}?${Object.values(values).join('&')}`,
    )
  })

  test('two have the names that clients of GitLab know, too', async () => {
    const { id } = await w.project()
    const host = new URL(w.url).hostname
    expect(await rendered('project', { id }, 'https://%{gitlab_server}/%{service_server}')).toBe(
      `https://${host}/${host}`,
    )
    expect(await valueOf('gitlab_pages_domain', 'project', { id })).toBe('')
  })

  test('that are unknown, or not written exactly so, stay as they are', async () => {
    const { id } = await w.project()
    const url = `${base}%{unknown}/%{PROJECT_ID}/%{project_id/{project_id}/%7Bproject_id%7D/%{__proto__}/%{}`
    expect(await rendered('project', { id }, url)).toBe(url)
    expect(await rendered('project', { id }, `${base}%{%{project_id}}/%%{project_id}%`)).toBe(
      `${base}%{${id}}/%${id}%`,
    )
  })

  test('in values are not replaced again', async () => {
    const { body } = await w.root.post('/projects', { name: 'x', path: unique('x') })
    await w.db
      .updateTable('namespaces')
      .set({ name: '%{project_id}' })
      .where('full_path', '=', body.path_with_namespace)
      .execute()
    expect(await valueOf('project_title', 'project', body)).toBe('%25%7Bproject_id%7D')
  })

  test('show at once what was renamed', async () => {
    const { id, inner } = await project()
    const badge = await made('project', { id }, { link_url: `${base}%{project_path}` })
    await w.root.put(`/projects/${id}`, { path: 'renamed' })
    expect((await w.root.get(badge.path)).body.rendered_link_url).toBe(`${base}${inner.fullPath}/renamed`)
  })

  test('tell of a project of a person its namespace, and no group', async () => {
    const user = await w.user()
    const { body } = await user.post('/projects', { name: unique('own') })
    expect(await valueOf('project_namespace', 'project', body, user)).toBe(user.username)
    expect(await valueOf('group_name', 'project', body, user)).toBe('')
  })

  describe('in the badges of a group', () => {
    test('have the values of the first project in it, in the order of creation', async () => {
      const group = await w.group()
      const inner = await w.group({ parent: group.id })
      await w.project({ parent: inner.id })
      const link_url = `${base}%{project_path}/%{unknown}`
      const badge = await made('group', group, { link_url })
      const shown = async () => (await w.root.get(badge.path)).body.rendered_link_url
      expect(await shown()).toBe(link_url)
      const first = await w.project({ parent: group.id, path: unique('z') })
      const second = await w.project({ parent: group.id, path: unique('a') })
      expect(await shown()).toBe(`${base}${first.fullPath}/%{unknown}`)
      expect((await w.root.delete(`/projects/${first.id}`)).status).toBe(202)
      expect(await shown()).toBe(`${base}${second.fullPath}/%{unknown}`)
    })

    test('tell nothing of a project that the reader cannot see', async () => {
      const group = await w.group({ visibility: 'public' })
      const secret = await w.project({ parent: group.id, visibility: 'private' })
      const badge = await made('group', group, { link_url: `${base}%{project_path}` })
      const shown = async (by: Client) => (await by.get(badge.path)).body.rendered_link_url
      expect(await shown(w.anonymous)).toBe(`${base}%{project_path}`)
      expect(await shown(secret.stranger)).toBe(`${base}%{project_path}`)
      expect(await shown(secret.guest)).toBe(`${base}${secret.fullPath}`)
      const open = await w.project({ parent: group.id, visibility: 'public' })
      expect(await shown(w.anonymous)).toBe(`${base}${open.fullPath}`)
    })

    test('are replaced in a preview, too, which has the name of a badge besides', async () => {
      const group = await w.group()
      const asked = { ...plain, link_url: `${base}%{project_id}` }
      const preview = async () =>
        (await group.owner.get(`${baseOf('group', group)}/render?${queryOf(asked)}`)).body
      const urls = { ...asked, rendered_image_url: asked.image_url }
      expect(await preview()).toEqual({ name: null, ...urls, rendered_link_url: asked.link_url })
      const { id } = await w.project({ parent: group.id })
      expect(await preview()).toEqual({ name: null, ...urls, rendered_link_url: `${base}${id}` })
    })
  })
})
