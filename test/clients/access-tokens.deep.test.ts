import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { daysAfter } from '#platform/http/time.ts'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

const clientOf = (token: string) => new Gitlab({ host: w.url, token })
const soon = daysAfter(new Date().toISOString().slice(0, 10), 30)
const refused = (status: number) => ({ cause: { response: { status } } })

describe('@gitbeaker/rest keeps access tokens', () => {
  test.each(['project', 'group'] as const)('of a %s', async (kind) => {
    const place = kind === 'project' ? await w.project() : await w.group()
    const api = clientOf(place.owner.token)
    const tokens = kind === 'project' ? api.ProjectAccessTokens : api.GroupAccessTokens
    const made = await tokens.create(place.id, 'ci', ['api'], soon, { accessLevel: 30 })
    expect(made).toMatchObject({ name: 'ci', access_level: 30, expires_at: soon, active: true })
    const bot = await clientOf(made.token ?? '').Users.showCurrentUser()
    expect(bot).toMatchObject({
      id: made.user_id,
      username: expect.stringContaining(`${kind}_${place.id}_bot_`),
    })
    const rotated = await tokens.rotate(place.id, made.id, { expiresAt: soon })
    expect(rotated).toMatchObject({ user_id: made.user_id, name: 'ci' })
    await expect(clientOf(made.token ?? '').Users.showCurrentUser()).rejects.toMatchObject(refused(401))
    const itself = clientOf(rotated.token ?? '')
    const own = kind === 'project' ? itself.ProjectAccessTokens : itself.GroupAccessTokens
    expect(await own.show(place.id, 'self')).toMatchObject({ id: rotated.id })
    const last = await own.rotate(place.id, 'self')
    expect((await tokens.all(place.id)).map(({ revoked }) => revoked)).toEqual([true, true, false])
    await tokens.revoke(place.id, last.id)
    expect(await tokens.show(place.id, last.id)).toMatchObject({ revoked: true, active: false })
    await expect(tokens.rotate(place.id, made.id)).rejects.toMatchObject(refused(401))
    await expect(tokens.show(place.id, 999_999_999)).rejects.toMatchObject({
      cause: { description: `404 ${kind} Access Token Not Found` },
    })
  })
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('keeps access tokens of a project and a group', { timeout: 180_000 }, async () => {
    await expectHeld('access-tokens.py', w.url, w.root.token, unique('x'))
  })
})
