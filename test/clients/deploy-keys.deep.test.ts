import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { newSshKey } from '#test/ssh-keys.ts'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

const clientOf = (token: string) => new Gitlab({ host: w.url, token })
const refused = (status: number) => ({ cause: { response: { status } } })

describe('@gitbeaker/rest', () => {
  test.each(['project', 'group'] as const)('keeps deploy tokens of a %s', async (kind) => {
    const place = kind === 'project' ? await w.project() : await w.group()
    const api = clientOf(place.owner.token)
    const where = kind === 'project' ? { projectId: place.id } : { groupId: place.id }
    const made = await api.DeployTokens.create('puller', ['read_repository'], {
      ...where,
      expires_at: '2099-01-01T00:00:00.000Z',
    })
    expect(made).toMatchObject({
      username: `gitlab+deploy-token-${made.id}`,
      expires_at: '2099-01-01T00:00:00.000Z',
      token: expect.stringMatching(/^gldt-/),
    })
    expect(await api.DeployTokens.show(made.id, where)).toMatchObject({ name: 'puller', expired: false })
    expect(await api.DeployTokens.all(where)).toHaveLength(1)
    const all = await clientOf(w.root.token).DeployTokens.all()
    expect(all.map(({ id }) => id)).toContain(made.id)
    await expect(clientOf(made['token']).Users.showCurrentUser()).rejects.toMatchObject(refused(401))
    await api.DeployTokens.remove(made.id, where)
    await expect(api.DeployTokens.show(made.id, where)).rejects.toMatchObject(refused(404))
  })

  test('keeps deploy keys', async () => {
    const [place, other] = [await w.project(), await w.project()]
    await w.member(other.namespaceId, place.maintainer, 40)
    const api = clientOf(place.maintainer.token)
    const made = await api.DeployKeys.create(place.id, 'deploy', newSshKey(), { canPush: true })
    expect(made).toMatchObject({ title: 'deploy', can_push: true })
    expect(await api.DeployKeys.enable(other.id, made.id)).toMatchObject({ id: made.id, can_push: false })
    expect(await api.DeployKeys.edit(other.id, made.id, { title: 'new' })).toMatchObject({ title: 'new' })
    expect(await api.DeployKeys.show(place.id, made.id)).toMatchObject({ title: 'new', can_push: true })
    expect(await api.DeployKeys.all({ userId: place.maintainer.id })).toHaveLength(1)
    expect((await clientOf(w.root.token).DeployKeys.all()).map(({ id }) => id)).toContain(made.id)
    await api.DeployKeys.remove(other.id, made.id)
    expect(await api.DeployKeys.all({ projectId: other.id })).toEqual([])
  })

  test('keeps SSH keys, and finds whose they are', async () => {
    const user = await w.user()
    const [api, administrator] = [clientOf(user.token), clientOf(w.root.token)]
    const key = newSshKey()
    const made = await api.UserSSHKeys.create('laptop', key)
    expect(made).toMatchObject({ title: 'laptop', usage_type: 'auth_and_signing' })
    expect(await api.UserSSHKeys.show(made.id)).toEqual(made)
    expect(await api.UserSSHKeys.all({ userId: user.id })).toEqual([made])
    expect(await administrator.Keys.show({ keyId: made.id })).toMatchObject({ user: { id: user.id } })
    // It cannot look up a fingerprint: it writes it into the path, and then replaces the query.
    await api.UserSSHKeys.remove(made.id)
    const added = await administrator.UserSSHKeys.create('desk', key, { userId: user.id })
    await administrator.UserSSHKeys.remove(added.id, { userId: user.id })
    expect(await api.UserSSHKeys.all()).toEqual([])
  })
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('keeps SSH keys, deploy keys and deploy tokens', { timeout: 180_000 }, async () => {
    const keys = Array.from({ length: 4 }, () => newSshKey())
    await expectHeld('deploy-keys.py', w.url, w.root.token, unique('x'), ...keys)
  })
})
