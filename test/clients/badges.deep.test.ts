import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

const refused = (status: number) => ({ cause: { response: { status } } })
const image = 'https://ci.example.com/badge.svg'

describe('@gitbeaker/rest', () => {
  test.each(['ProjectBadges', 'GroupBadges'] as const)('keeps badges with %s', async (resource) => {
    const place = resource === 'ProjectBadges' ? await w.project() : await w.group()
    const kind = resource === 'ProjectBadges' ? 'project' : 'group'
    const badges = new Gitlab({ host: w.url, token: place.owner.token })[resource]
    const made = await badges.add(place.id, 'https://ci.example.com/', image, { name: 'Coverage' })
    expect(made).toMatchObject({ name: 'Coverage', image_url: image, rendered_image_url: image, kind })
    expect(await badges.show(place.id, made.id)).toEqual(made)
    expect(await badges.all(place.id, { name: 'Coverage' })).toEqual([made])
    expect(await badges.all(place.id, { name: 'coverage' })).toEqual([])
    const linkUrl = 'https://ci.example.com/%{project_id}/%{gitlab_server}'
    const edited = await badges.edit(place.id, made.id, { linkUrl })
    expect(edited).toMatchObject({ name: 'Coverage', link_url: linkUrl })
    const preview = await badges.preview(place.id, linkUrl, image)
    expect(preview).toMatchObject({ link_url: linkUrl, rendered_link_url: edited.rendered_link_url })
    await expect(badges.add(place.id, 'mailto:me', image)).rejects.toMatchObject(refused(400))
    await badges.remove(place.id, made.id)
    await expect(badges.show(place.id, made.id)).rejects.toMatchObject(refused(404))
  })

  test("is told where a project's group keeps its badges", async () => {
    const project = await w.project()
    const api = new Gitlab({ host: w.url, token: w.root.token })
    const { id } = await api.GroupBadges.add(project.groupId, 'https://ci.example.com/', image)
    expect(await api.ProjectBadges.all(project.id)).toMatchObject([{ id, kind: 'group' }])
    await expect(api.ProjectBadges.remove(project.id, id)).rejects.toMatchObject({
      cause: { ...refused(403).cause, description: expect.stringContaining(`/badges/${id}`) },
    })
  })
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('keeps badges of projects and groups', { timeout: 180_000 }, async () => {
    await expectHeld('badges.py', w.url, w.root.token, unique('x'))
  })
})
