import { describe, expect, it } from 'vitest'
import { cloneOf, projectWith, urlWith, withGit } from '#code/git-http/test-support.ts'
import { w } from '#test/world.ts'

withGit()

const listOf = (project: { readonly id: number }) => `/projects/${project.id}/protected_tags`

describe('protected tags', () => {
  it('are made, listed, found and unprotected', async () => {
    const project = await w.project()
    const { maintainer } = project
    const { status, body } = await maintainer.post(listOf(project), { name: 'v*', create_access_level: 30 })
    expect([status, body]).toEqual([
      201,
      {
        name: 'v*',
        create_access_levels: [
          {
            id: expect.any(Number),
            access_level: 30,
            access_level_description: 'Developers + Maintainers',
            user_id: null,
            group_id: null,
          },
        ],
      },
    ])
    expect((await maintainer.post(listOf(project), { name: 'v*' })).status).toBe(409)
    expect((await maintainer.post(listOf(project), { name: 'x', create_access_level: 60 })).status).toBe(400)
    expect(
      (await maintainer.post(listOf(project), { name: 'x', allowed_to_create: [{ user_id: 1 }] })).status,
    ).toBe(403)
    expect((await maintainer.get(listOf(project))).body).toEqual([body])
    expect((await maintainer.get(`${listOf(project)}/v*`)).body).toEqual(body)
    expect((await maintainer.delete(`${listOf(project)}/v*`)).status).toBe(204)
    expect((await maintainer.delete(`${listOf(project)}/v*`)).status).toBe(404)
  })

  it('cannot be made by those who may not, nor changed or deleted with git', async () => {
    const { project, work } = await projectWith({ a: '1' })
    const { maintainer, developer } = project
    await maintainer.post(listOf(project), { name: 'v*' })
    const theirs = await cloneOf(urlWith(developer.token, project.fullPath))
    await theirs.run('tag', 'v1')
    await theirs.run('tag', 'other')
    expect((await theirs.try('push', 'origin', 'v1')).err).toContain(
      'you may not create the protected tag v1',
    )
    expect((await theirs.try('push', 'origin', 'other')).code).toBe(0)
    await work.run('tag', 'v1')
    await work.run('push', 'origin', 'v1')
    await work.commit({ a: '2' })
    await work.run('tag', '--force', 'v1')
    expect((await work.try('push', '--force', 'origin', 'v1')).err).toContain(
      'protected, so it cannot change',
    )
    expect((await work.try('push', 'origin', ':v1')).err).toContain('can only be deleted by the API')
  })
})
