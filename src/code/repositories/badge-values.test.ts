import { rm } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { w } from '#test/world.ts'
import { projectWith, withGit } from '#code/git-http/test-support.ts'

withGit()

const url = 'https://x.example/%{default_branch}/%{commit_sha}/%{latest_tag}'

/** A badge with all placeholders for what is in a repository. @returns its path */
async function badgeOf(kind: 'project' | 'group', id: number): Promise<string> {
  const path = `/${kind}s/${id}/badges`
  const { status, body } = await w.root.post(path, { link_url: url, image_url: url })
  expect(status).toBe(201)
  return `${path}/${body.id}`
}

/** What the badge has instead of the placeholders, separated by slashes. */
async function shown(path: string, by: Client = w.root): Promise<string> {
  const { body } = await by.get(path)
  expect(body.rendered_image_url).toBe(body.rendered_link_url)
  return body.rendered_link_url.replace('https://x.example/', '')
}

describe('%{default_branch}, %{commit_sha} and %{latest_tag} of badges', () => {
  test('are empty while the repository is, and then follow every push', async () => {
    const empty = await w.project()
    expect(await shown(await badgeOf('project', empty.id))).toBe('//')
    const { project, work, head } = await projectWith({ a: '1' })
    const path = await badgeOf('project', project.id)
    expect(await shown(path)).toBe(`main/${head}/`)
    await work.run('tag', 'v1')
    await work.run('push', '--quiet', 'origin', 'v1')
    expect(await shown(path)).toBe(`main/${head}/v1`)
    const next = await work.commit({ a: '2' })
    await work.run('push', '--quiet', 'origin', 'main', ':v1')
    expect(await shown(path)).toBe(`main/${next}/`)
  })

  test('keep their slashes and are percent-encoded otherwise', async () => {
    const { project, work } = await projectWith({ a: '1' })
    await work.run('tag', 'beta/ü#1')
    await work.run('push', '--quiet', 'origin', 'beta/ü#1')
    expect(await shown(await badgeOf('project', project.id))).toMatch(/\/beta\/%C3%BC%231$/)
  })

  test('ask git nothing', async () => {
    const { project, head } = await projectWith({ a: '1' })
    const path = await badgeOf('project', project.id)
    const repository = await w.running.services.repositories.ofProject(project.id)
    await rm(repository?.folder ?? '', { recursive: true })
    expect(await shown(path)).toBe(`main/${head}/`)
  })

  test('have in badges of a group the values of its first project, and in a project those of the project', async () => {
    const group = await w.group()
    const { project: first, head } = await projectWith({ a: '1' }, { parent: group.id })
    const { project: second, head: other } = await projectWith({ a: '2' }, { parent: group.id })
    const path = await badgeOf('group', group.id)
    const id = path.split('/').at(-1)
    expect(await shown(path)).toBe(`main/${head}/`)
    expect(await shown(`/projects/${first.id}/badges/${id}`)).toBe(`main/${head}/`)
    expect(await shown(`/projects/${second.id}/badges/${id}`)).toBe(`main/${other}/`)
  })

  test('are empty for readers who may not read the code', async () => {
    const { project, head } = await projectWith({ a: '1' }, { visibility: 'public' })
    const path = await badgeOf('project', project.id)
    const full = `main/${head}/`
    const seen = async () => {
      const readers = [w.anonymous, project.stranger, project.guest, project.reporter, w.root]
      return Promise.all(readers.map((by) => shown(path, by)))
    }
    expect(await seen()).toEqual([full, full, full, full, full])
    await w.root.put(`/projects/${project.id}`, { repository_access_level: 'private' })
    expect(await seen()).toEqual(['//', '//', full, full, full])
    await w.root.put(`/projects/${project.id}`, { repository_access_level: 'disabled' })
    expect(await seen()).toEqual(['//', '//', '//', '//', '//'])
    const { project: hidden, head: last } = await projectWith({ a: '1' })
    const within = await badgeOf('project', hidden.id)
    expect([await shown(within, hidden.guest), await shown(within, hidden.reporter)]).toEqual([
      '//',
      `main/${last}/`,
    ])
  })
})
