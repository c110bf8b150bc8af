import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { daysAfter } from '#platform/http/time.ts'
import { unique, w } from '../world.ts'

const clientOf = (token: string) => new Gitlab({ host: w.url, token })
const soon = () => daysAfter(new Date().toISOString().slice(0, 10), 30)
const refused = (status: number) => ({ cause: { response: { status } } })

describe('@gitbeaker/rest keeps access tokens', () => {
  test.each(['project', 'group'] as const)('of a %s', async (kind) => {
    const place = kind === 'project' ? await w.project() : await w.group()
    const api = clientOf(place.owner.token)
    const tokens = kind === 'project' ? api.ProjectAccessTokens : api.GroupAccessTokens
    const made = await tokens.create(place.id, 'ci', ['api'], soon(), { accessLevel: 30 })
    expect(made).toMatchObject({ name: 'ci', access_level: 30, expires_at: soon(), active: true })
    const bot = await clientOf(made.token ?? '').Users.showCurrentUser()
    expect(bot).toMatchObject({
      id: made.user_id,
      username: expect.stringContaining(`${kind}_${place.id}_bot_`),
    })
    const rotated = await tokens.rotate(place.id, made.id, { expiresAt: soon() })
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

/** Debian's python3-gitlab belongs to the system's own Python. */
const python = '/usr/bin/python3'
const installed = spawnSync(python, ['-c', 'import gitlab']).status === 0
if (!installed) console.log("skipped: Debian's python3-gitlab is not installed")

describe.skipIf(!installed)('python-gitlab', () => {
  test('keeps access tokens of a project and a group', { timeout: 60_000 }, async () => {
    const script = fileURLToPath(new URL('access-tokens.py', import.meta.url))
    const { stdout } = await promisify(execFile)(python, [script, w.url, w.root.token, unique('x')])
    expect(stdout.trim()).toBe('held')
  })
})
