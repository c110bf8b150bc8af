import { beforeAll, expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { HERE, submit } from '../test-support.ts'

// Variables, runners and tokens.

let p: Awaited<ReturnType<typeof w.project>>
let group: Awaited<ReturnType<typeof w.group>>
let maintainer: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  p = await w.project({ visibility: 'public' })
  group = await w.group()
  maintainer = await signedIn(w)
  await w.member(p.namespaceId, maintainer, 40)
  await w.member(group.id, maintainer, 50)
})

const places = (): readonly { at: string; page: string }[] => [
  { at: `/projects/${p.id}`, page: `/${p.fullPath}/-/settings` },
  { at: `/groups/${group.id}`, page: `/groups/${group.fullPath}/-/settings` },
]
const shown = async (path: string) => (await maintainer.visitor.get(path, HERE)).text
const secretIn = (text: string) => /id="secret" value="([^"]+)"/.exec(text)?.[1] ?? ''

test('variables of projects and groups, also with one name in several environments', async () => {
  for (const { at, page } of places()) {
    const send = (does: string, fields: Record<string, string> = {}) =>
      submit(maintainer.visitor, `${page}/ci_cd`, does, fields)
    const all = async () => (await maintainer.user.get(`${at}/variables`)).body
    await send('add-variable', { key: 'TOKEN', value: 'abc', environment_scope: '*', description: '' })
    await send('add-variable', {
      key: 'TOKEN',
      value: 'line\ntwo',
      environment_scope: 'review/*',
      raw: 'true',
    })
    expect(await all()).toHaveLength(2)
    await send('change-variable/TOKEN/review/*', {
      value: 'changed',
      environment_scope: 'review/*',
      protected: 'true',
    })
    await send('delete-variable/TOKEN/*')
    expect(await all()).toMatchObject([
      { key: 'TOKEN', value: 'changed', environment_scope: 'review/*', protected: true },
    ])
    const secret = { key: 'SECRET', value: 'very-secret-words', environment_scope: '*' }
    await send('add-variable', { ...secret, masked_and_hidden: 'true' })
    expect(await shown(`${page}/ci_cd`)).not.toContain(secret.value)
    await send('change-hidden-variable/SECRET/*', { value: '', environment_scope: '*', description: 'Kept' })
    const found = (await all()).find(({ key }: { key: string }) => key === 'SECRET')
    expect(found).toMatchObject({ hidden: true, description: 'Kept' })
    const wrong = await send('add-variable', { key: 'NOT A KEY', value: 'typed', environment_scope: '*' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('typed</textarea')
  }
})

test('a runner with the command that registers it', async () => {
  for (const { at, page } of places()) {
    const fields = { description: 'Builder', tag_list: 'linux, arm', maximum_timeout: '' }
    const made = await submit(maintainer.visitor, `${page}/ci_cd`, 'add-runner', fields)
    expect(made.status).toBe(200)
    expect(secretIn(made.text)).toMatch(/^glrt-/)
    expect(made.text).toContain('forgelet runner register --url')
    // Others of the instance may be there, too.
    const type = at.startsWith('/groups') ? 'group_type' : 'project_type'
    const runners = async () => (await maintainer.user.get(`${at}/runners?type=${type}`)).body
    const [{ id }] = await runners()
    expect((await maintainer.user.get(`/runners/${id}`)).body.tag_list.toSorted()).toEqual(['arm', 'linux'])
    await submit(maintainer.visitor, `${page}/ci_cd`, `pause-runner/${id}`, { paused: 'true' })
    expect((await runners())[0].paused).toBe(true)
    await submit(maintainer.visitor, `${page}/ci_cd`, `delete-runner/${id}`)
    expect(await runners()).toEqual([])
  }
})

test('trigger tokens', async () => {
  const page = `/${p.fullPath}/-/settings/ci_cd`
  await submit(maintainer.visitor, page, 'add-trigger', { description: 'Nightly' })
  const [made] = (await maintainer.user.get(`/projects/${p.id}/triggers`)).body
  expect(await shown(page)).toContain(made.token)
  await submit(maintainer.visitor, page, `delete-trigger/${made.id}`)
  expect((await maintainer.user.get(`/projects/${p.id}/triggers`)).body).toEqual([])
})

test('access tokens of projects and groups', async () => {
  for (const { at, page } of places()) {
    const here = `${page}/access_tokens`
    const answer = await submit(maintainer.visitor, here, 'create', {
      name: 'Robot',
      description: '',
      expires_at: '',
      access_level: '30',
      'scopes[]': 'read_api',
    })
    expect(answer.status).toBe(200)
    const secret = secretIn(answer.text)
    expect((await w.anonymous.with({ 'private-token': secret }).get(at)).status).toBe(200)
    expect(await shown(here)).not.toContain(secret)
    const tokens = async () => (await maintainer.user.get(`${at}/access_tokens?state=active`)).body
    const [first] = await tokens()
    const rotated = await submit(maintainer.visitor, here, `rotate/${first.id}`)
    expect([rotated.status, secretIn(rotated.text) === secret]).toEqual([200, false])
    const [second] = await tokens()
    await submit(maintainer.visitor, here, `revoke/${second.id}`)
    expect(await tokens()).toEqual([])
    const wrong = await submit(maintainer.visitor, here, 'create', { name: 'Robot', access_level: '30' })
    expect(wrong.status).toBe(400)
  }
})
