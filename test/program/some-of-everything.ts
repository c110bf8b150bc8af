import { hash } from 'node:crypto'
import { expect } from 'vitest'
import { formWith } from '#tenancy/avatars/test-support.ts'
import { RESET } from '#identity/feed-tokens/section.ts'
import type { Client } from '#test/client.ts'
import { csrfTokenIn } from '#test/visitor.ts'
import { Registry } from '#registries/container-registry/test-support.ts'
import { ROOT_TOKEN } from '#test/database.ts'

export const object = Buffer.from('what git has a pointer to')
const published = Buffer.from('what a package has, which somebody published')
const uploaded = 'what a text names, which somebody uploaded'
export const asRoot = { authorization: `Basic ${Buffer.from(`x:${ROOT_TOKEN}`).toString('base64')}` }
/** Where the object of LFS is. */
export const objectAt = ({ base }: Client) =>
  `${base}/root/kept.git/gitlab-lfs/objects/${hash('sha256', object)}`

/** Makes some of everything in a fresh instance. @returns the id of its project, and the contents of all files */
export async function fill(client: Client, picture: Buffer): Promise<{ id: number; contents: Buffer[] }> {
  const made = async (path: string, json: unknown, status = 201) => {
    const answer = await client.send('POST', path, { json })
    expect([path, answer.status]).toEqual([path, status])
    return answer.body
  }
  await made('/users', {
    username: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    password: 'a long password',
    skip_confirmation: true,
  })
  const { id } = await made('/projects', { name: 'kept', initialize_with_readme: true })
  const at = `/projects/${id}`
  await made(`${at}/issues`, {
    title: 'to be kept',
    description: 'Tabs\tand\nlines \\ and “quotes”',
    labels: 'bug',
  })
  await made(`${at}/issues/1/notes`, { body: 'a note' })
  const upload = new FormData()
  upload.append('file', new Blob([uploaded]), 'notes.txt')
  expect((await client.send('POST', `${at}/uploads`, { form: upload })).status).toBe(201)
  const board = await made(`${at}/boards`, { name: 'work', labels: 'bug' })
  await made(`${at}/boards/${board.id}/lists`, { assignee_id: 1 })
  const action = { action: 'create', file_path: 'new.txt', content: 'new\n' }
  await made(`${at}/repository/commits`, {
    branch: 'topic',
    start_branch: 'main',
    commit_message: 'topic',
    actions: [action],
  })
  await made(`${at}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'merge me' })
  await made(`${at}/repository/tags`, { tag_name: 'v1', ref: 'main', message: 'first' })
  await made(`${at}/releases`, {
    tag_name: 'v1',
    assets: { links: [{ name: 'a', url: 'https://a.example' }] },
  })
  await made(`${at}/wikis`, { title: 'home', content: 'welcome' })
  await made('/snippets', {
    title: 's',
    visibility: 'private',
    files: [{ file_path: 'a.sh', content: 'ls' }],
  })
  await made(`${at}/access_tokens`, { name: 'bot', scopes: ['api'], expires_at: '2099-01-01' }).catch(
    () => {},
  )
  const kept = await fetch(`${objectAt(client)}/${object.length}`, {
    method: 'PUT',
    headers: asRoot,
    body: new Uint8Array(object),
  })
  expect(kept.status).toBe(200)
  const file = { form: published.toString() }
  expect((await client.send('PUT', `${at}/packages/generic/tool/1.0.0/tool`, file)).status).toBe(201)
  expect((await client.send('PUT', '/user/avatar', { form: formWith(picture) })).status).toBe(200)
  await makeFeedToken(client.base)
  const { config, layer, manifest } = await new Registry(ROOT_TOKEN, 'root', client.base).image(
    'root/kept',
    'v1',
  )
  return {
    id,
    contents: [
      picture,
      published,
      Buffer.from(uploaded),
      object,
      config.bytes,
      layer.bytes,
      Buffer.from(manifest),
    ],
  }
}

/** Somebody makes their token for feeds. */
async function makeFeedToken(base: string): Promise<void> {
  const form = new URLSearchParams({ login: 'ada', password: 'a long password' })
  const signedIn = await fetch(`${base}/users/sign_in`, { method: 'POST', body: form, redirect: 'manual' })
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ')
  const page = `${base}/-/user_settings/personal_access_tokens`
  const read = async () => (await fetch(page, { headers: { cookie } })).text()
  const token = csrfTokenIn(await read())
  await fetch(`${base}${RESET}`, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams({ authenticity_token: token }),
  })
  expect(await read()).toContain('glft-')
}

/** What tells whether files have the same contents, in whatever order. */
export const digestsOf = (contents: readonly (Buffer | undefined)[]): string[] =>
  contents.map((one) => (one === undefined ? 'lost' : hash('sha256', one))).toSorted()
