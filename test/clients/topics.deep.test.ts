import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { fetched, png } from '#tenancy/avatars/test-support.ts'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

const api = new Gitlab({ host: w.url, token: w.root.token })
const refused = (status: number) => ({ cause: { response: { status } } })
const avatar = async () => ({
  content: new Blob([Uint8Array.from(await png())], { type: 'image/png' }),
  filename: 'me.png',
})

describe('@gitbeaker/rest', () => {
  test('keeps topics: creates, uploads, merges and deletes', async () => {
    const [name, other] = [unique('topic'), unique('topic')]
    // The client's types lack the title.
    const given: object = { title: 'A topic', description: 'About it' }
    const made = await api.Topics.create(name, { ...given, avatar: await avatar() })
    expect(made).toMatchObject({ name, title: 'A topic', description: 'About it', total_projects_count: 0 })
    expect((await fetched(w.anonymous, made.avatar_url)).status).toBe(200)
    expect(await api.Topics.show(made.id)).toMatchObject({ name })
    expect(await api.Topics.edit(made.id, { title: 'Other' })).toMatchObject({ title: 'Other' })
    const target = await api.Topics.create(other, given)
    const project = await api.Projects.create({ name: unique('App'), topics: [name] })
    expect(project).toMatchObject({ topics: [name], tag_list: [name] })
    expect(await api.Topics.all({ search: name })).toMatchObject([{ total_projects_count: 1 }])
    const idle = await api.Topics.all({ search: other, withoutProjects: true })
    expect(idle).toMatchObject([{ id: target.id }])
    expect(await api.Topics.merge(made.id, target.id)).toMatchObject({
      id: target.id,
      total_projects_count: 1,
    })
    await expect(api.Topics.show(made.id)).rejects.toMatchObject(refused(404))
    expect(await api.Projects.all({ topic: other })).toMatchObject([{ id: project.id, topics: [other] }])
    await api.Topics.remove(target.id)
    expect(await api.Projects.show(project.id)).toMatchObject({ topics: [] })
  })

  test('gives projects, groups and users avatars', async () => {
    const project = await api.Projects.create({ name: unique('App') })
    const uploaded = await api.Projects.uploadAvatar(project.id, await avatar())
    expect(uploaded.avatar_url).toBe(`${w.url}/uploads/-/system/project/avatar/${project.id}/avatar.png`)
    await api.Projects.removeAvatar(project.id)
    expect((await api.Projects.show(project.id)).avatar_url).toBe(null)
    const group = await api.Groups.create(unique('Group'), unique('group'), { avatar: await avatar() })
    expect(group.avatar_url).toContain(`/group/avatar/${group.id}/`)
    const file = await api.Groups.downloadAvatar(group.id)
    expect(file.size).toBeGreaterThan(50)
    await api.Groups.removeAvatar(group.id)
    expect((await api.Groups.show(group.id)).avatar_url).toBe(null)
    const { id, username } = await w.user()
    const user = await api.Users.edit(id, { avatar: await avatar() })
    // The client sends a form here, with names as they are.
    await w.root.put(`/users/${id}`, { public_email: `${username}@example.com` })
    expect(user.avatar_url).toContain(`/user/avatar/${id}/`)
    expect(await api.Avatar.show(`${username}@example.com`)).toEqual({ avatar_url: user.avatar_url })
  })
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('keeps topics and avatars', { timeout: 180_000 }, async () => {
    const picture = (await png()).toString('base64')
    await expectHeld('topics.py', w.url, w.root.token, unique('x'), picture)
  })
})
