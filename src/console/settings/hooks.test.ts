import { beforeAll, expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Webhooks and their deliveries.

let p: Awaited<ReturnType<typeof w.project>>
let group: Awaited<ReturnType<typeof w.group>>
let ada: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  p = await w.project({ visibility: 'public' })
  group = await w.group()
  ada = await signedIn(w)
  await w.member(p.namespaceId, ada, 40)
  await w.member(group.id, ada, 50)
})

test('webhooks of groups need a license', async () => {
  const { text } = await ada.visitor.get(`/groups/${group.fullPath}/-/hooks`, HERE)
  expect(text).toContain('need a license')
})

test('webhooks of projects and groups are added, changed and deleted', () =>
  w.onPlan('premium', changesHooks))

async function changesHooks(): Promise<void> {
  for (const { at, page } of [
    { at: `/projects/${p.id}`, page: `/${p.fullPath}/-/hooks` },
    { at: `/groups/${group.id}`, page: `/groups/${group.fullPath}/-/hooks` },
  ]) {
    const url = 'https://receiver.invalid/hook'
    const fields = { url, name: '', token: 'secret', push_events: 'false', issues_events: 'true' }
    const added = await submit(ada.visitor, page, 'add', fields)
    expect(added.status).toBe(303)
    const one = added.headers.location ?? ''
    const hooks = async () => (await ada.user.get(`${at}/hooks`)).body
    expect(await hooks()).toMatchObject([
      { url, token_present: true, push_events: false, issues_events: true },
    ])
    await submit(ada.visitor, one, 'save', { url, name: 'Chat', token: '', wiki_page_events: 'true' })
    expect(await hooks()).toMatchObject([{ name: 'Chat', token_present: true, wiki_page_events: true }])
    const { text } = await ada.visitor.get(one, HERE)
    for (const part of ['Nothing was sent yet.', 'It is told of comments', 'It is told of pipelines'])
      expect(text).toContain(part)
    expect(formsIn(text)).toEqual(['save', 'test', 'delete'])
    const gone = await submit(ada.visitor, one, 'delete')
    expect(gone.headers.location).toBe(page)
    expect(await hooks()).toEqual([])
    const wrong = await submit(ada.visitor, page, 'add', { url: 'ftp://no' })
    expect(wrong.status).toBeGreaterThanOrEqual(400)
    expect(wrong.text).toContain('value="ftp://no"')
  }
}

test('the settings of a group', async () => {
  const made = await w.group({ visibility: 'public' })
  await w.member(made.id, ada, 50)
  const at = `/groups/${made.id}`
  const page = `/groups/${made.fullPath}/-/edit`
  const group = async () => (await ada.user.get(at)).body
  await submit(ada.visitor, page, 'save-general', { name: 'Renamed', description: 'A\nB' })
  await submit(ada.visitor, page, 'save-rules', { project_creation_level: 'owner' })
  await submit(ada.visitor, page, 'visibility', { visibility: 'private' })
  expect(await group()).toMatchObject({
    name: 'Renamed',
    description: 'A\nB',
    project_creation_level: 'owner',
    visibility: 'private',
  })
  await submit(ada.visitor, page, 'archive')
  expect((await group()).archived).toBe(true)
  await submit(ada.visitor, page, 'unarchive')
  const other = await w.group()
  await w.member(other.id, ada, 50)
  const moved = await submit(ada.visitor, page, 'transfer', { group_id: String(other.id) })
  const here = moved.headers.location ?? ''
  expect(here).toBe(`/groups/${(await group()).full_path}/-/edit`)
  expect((await group()).parent_id).toBe(other.id)
  await submit(ada.visitor, here, 'transfer', { group_id: '' })
  expect((await group()).parent_id).toBe(null)
  const renamed = await submit(ada.visitor, page, 'rename', { path: `${made.fullPath}-2` })
  expect(renamed.headers.location).toBe(`/groups/${made.fullPath}-2/-/edit`)
  const reader = await signedIn(w)
  await w.member(made.id, reader, 30)
  expect((await reader.visitor.get(renamed.headers.location ?? '', HERE)).status).toBe(404)
  const gone = await submit(ada.visitor, renamed.headers.location ?? '', 'delete', {
    full_path: `${made.fullPath}-2`,
  })
  expect(gone.headers.location).toBe('/dashboard/groups')
  expect((await ada.user.get(at)).status).toBe(404)
})
