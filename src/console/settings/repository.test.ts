import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Protected branches and tags, deploy keys and tokens.

let p: Awaited<ReturnType<typeof w.project>>
let maintainer: Awaited<ReturnType<typeof signedIn>>
let page = ''
let at = ''

beforeAll(async () => {
  p = await w.project({ visibility: 'public' })
  maintainer = await signedIn(w)
  await w.member(p.namespaceId, maintainer, 40)
  page = `/${p.fullPath}/-/settings/repository`
  at = `/projects/${p.id}`
})

const send = (does: string, fields: Record<string, string> = {}) =>
  submit(maintainer.visitor, page, does, fields)
const shown = async () => (await maintainer.visitor.get(page, HERE)).text

test('branches and tags are protected, and no longer', async () => {
  const name = 'release/*'
  await send('protect-branch', { name, push_access_level: '0', merge_access_level: '30' })
  const branch = async () => p.owner.get(`${at}/protected_branches/${encodeURIComponent(name)}`)
  expect((await branch()).body).toMatchObject({
    push_access_levels: [{ access_level: 0 }],
    merge_access_levels: [{ access_level: 30 }],
    allow_force_push: false,
  })
  await send(`change-branch/${name}`, { allow_force_push: 'true' })
  expect((await branch()).body.allow_force_push).toBe(true)
  const twice = await send('protect-branch', { name })
  expect(twice.status).toBe(409)
  expect(twice.text).toContain('role="alert"')
  await send(`unprotect-branch/${name}`)
  expect((await branch()).status).toBe(404)
  await send('protect-tag', { name: 'v*', create_access_level: '40' })
  expect((await p.owner.get(`${at}/protected_tags`)).body).toMatchObject([{ name: 'v*' }])
  await send('unprotect-tag/v*')
  expect((await p.owner.get(`${at}/protected_tags`)).body).toEqual([])
})

test('deploy keys', async () => {
  const { publicKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  const blob = Buffer.concat([part(Buffer.from('ssh-ed25519')), part(Buffer.from(x, 'base64url'))])
  const key = `ssh-ed25519 ${blob.toString('base64')}`
  await send('add-deploy-key', { title: 'Robot', key, can_push: 'false', expires_at: '2999-01-01' })
  const [made] = (await p.owner.get(`${at}/deploy_keys`)).body
  expect(made).toMatchObject({ title: 'Robot', can_push: false })
  expect(made.expires_at).toMatch(/^2999-01-01/)
  await send(`change-deploy-key/${made.id}`, { can_push: 'true' })
  expect((await p.owner.get(`${at}/deploy_keys`)).body[0].can_push).toBe(true)
  await send(`remove-deploy-key/${made.id}`)
  expect((await p.owner.get(`${at}/deploy_keys`)).body).toEqual([])
  expect((await send('add-deploy-key', { title: 'Wrong', key: 'no key' })).status).toBe(400)
})

test('the secret of a deploy token is shown once', async () => {
  const answer = await send('add-deploy-token', {
    name: 'Reader',
    username: '',
    expires_at: '',
    'scopes[]': 'read_repository',
  })
  expect(answer.status).toBe(200)
  const secret = /id="secret" value="([^"]+)"/.exec(answer.text)?.[1] ?? ''
  expect(secret).toMatch(/^gldt-/)
  expect(await shown()).not.toContain(secret)
  const [made] = (await p.owner.get(`${at}/deploy_tokens`)).body
  expect(made).toMatchObject({ name: 'Reader', scopes: ['read_repository'] })
  await send(`delete-deploy-token/${made.id}`)
  expect((await p.owner.get(`${at}/deploy_tokens`)).body).toEqual([])
})

test('a group has deploy tokens, too', async () => {
  const group = await w.group()
  const owner = await signedIn(w)
  await w.member(group.id, owner, 50)
  const address = `/groups/${group.fullPath}/-/settings/repository`
  const fields = { name: 'Reader', username: '', expires_at: '2999-01-01', 'scopes[]': 'read_registry' }
  expect((await submit(owner.visitor, address, 'add-deploy-token', fields)).status).toBe(200)
  expect((await owner.user.get(`/groups/${group.id}/deploy_tokens`)).body).toHaveLength(1)
})

test('a developer is told nothing of it', async () => {
  const developer = await signedIn(w)
  await w.member(p.namespaceId, developer, 30)
  const answer = await developer.visitor.get(page, HERE)
  expect(answer.status).toBeGreaterThanOrEqual(403)
  expect(formsIn(answer.text)).toEqual([])
})
