import { describe, expect, it } from 'vitest'
import { cloneOf, projectWith, urlWith, withGit } from '#code/git-http/test-support.ts'
import { w } from '#test/world.ts'
import { until } from '#test/until.ts'

withGit()

const shown = async (project: { readonly id: number; readonly maintainer: { get: typeof w.root.get } }) =>
  (await project.maintainer.get(`/projects/${project.id}?statistics=true`)).body

describe('PUT /projects/:id with default_branch', () => {
  it('makes another branch the default: for the API, and for clones', async () => {
    const { project, work, url } = await projectWith({ 'README.md': '1' })
    await work.run('checkout', '--quiet', '-b', 'next')
    const id = await work.commit({ 'README.rst': '2' })
    await work.run('push', '--quiet', 'origin', 'next')
    const changed = await project.maintainer.put(`/projects/${project.id}`, { default_branch: 'next' })
    expect([changed.status, changed.body.default_branch]).toEqual([200, 'next'])
    const row = await w.running.services.repositories.ofProject(project.id)
    expect(row?.row).toMatchObject({ last_commit_sha: id, commit_count: 2 })
    await until(async () => {
      const clone = await cloneOf(url)
      expect((await clone.run('branch', '--show-current')).trim()).toBe('next')
    })
    const main = `/projects/${project.id}/repository/branches/main`
    expect((await project.maintainer.delete(main)).body.message).toContain('is protected')
    const again = await project.maintainer.put(`/projects/${project.id}`, { default_branch: 'main' })
    expect(again.body.default_branch).toBe('main')
  })

  it('refuses what is no branch', async () => {
    const { project } = await projectWith({ a: '1' })
    for (const default_branch of ['nothing', 'refs/heads/main', 'HEAD']) {
      const { status, body } = await project.maintainer.put(`/projects/${project.id}`, { default_branch })
      expect([status, body.message]).toEqual([400, { default_branch: ['is not a branch of the repository'] }])
    }
    const bad = await project.maintainer.put(`/projects/${project.id}`, { default_branch: '-x y' })
    expect(bad.body.message).toEqual({ default_branch: ['is not a name that git allows'] })
    const same = await project.maintainer.put(`/projects/${project.id}`, { default_branch: 'main' })
    expect([same.status, same.body.default_branch]).toEqual([200, 'main'])
    expect((await project.developer.put(`/projects/${project.id}`, { default_branch: 'main' })).status).toBe(
      403,
    )
  })

  it('chooses the name of the first branch of an empty repository', async () => {
    const project = await w.project()
    const { maintainer } = project
    await maintainer.put(`/projects/${project.id}`, { default_branch: 'trunk' })
    expect((await shown(project)).default_branch).toBe('trunk')
    const clone = await cloneOf(urlWith(maintainer.token, project.fullPath))
    await clone.commit({ a: '1' })
    await clone.run('push', '--quiet', 'origin', 'HEAD:refs/heads/other', 'HEAD:refs/heads/trunk')
    expect((await shown(project)).default_branch).toBe('trunk')
  })
})
