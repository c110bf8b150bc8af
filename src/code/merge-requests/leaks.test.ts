import { describe, expect, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import type { ContainerOptions } from '#test/world.ts'
import { w } from '#test/world.ts'

// What each role and token sees of a review: diffs, threads with their positions, approvals.

async function reviewed(options?: ContainerOptions) {
  const p = await branchedProject(options)
  const { path, body } = await openMergeRequest(p, p.developer)
  const position = { ...body.diff_refs, position_type: 'text', new_path: 'a.txt', new_line: 2 }
  const { body: open } = await p.developer.post(`${path}/discussions`, { body: 'open', position })
  const secret = { body: 'secret', position, internal: true }
  const { body: hidden } = await p.maintainer.post(`${path}/discussions`, secret)
  await p.owner.post(`${path}/approve`)
  return { ...p, path, open, hidden }
}

type Reviewed = Awaited<ReturnType<typeof reviewed>>

const ends = (p: Reviewed) => [
  'commits',
  'diffs',
  'changes',
  'raw_diffs',
  'versions',
  'discussions',
  'notes',
  'approvals',
  `discussions/${p.open.id}`,
]

const statuses = async (who: Client, p: Reviewed) => {
  const found = new Set<number>()
  for (const end of ends(p)) found.add((await who.get(`${p.path}/${end}`)).status)
  return [...found]
}

/** What somebody sees of the threads: how many there are, and whether the internal one is among them. */
async function threads(who: Client, p: Reviewed) {
  const { body, headers, text } = await who.get(`${p.path}/discussions`)
  const hidden = await who.get(`${p.path}/discussions/${p.hidden.id}`)
  return [body.length, headers.get('x-total'), text.includes('secret'), hidden.status]
}

const without = [2, '2', false, 404]
const withInternal = [3, '3', true, 200]

describe('a review', () => {
  test('in a private project is for those who may read the code', async () => {
    const p = await reviewed()
    for (const who of [p.guest, p.planner]) expect(await statuses(who, p)).toEqual([403])
    expect(await statuses(p.stranger, p)).toEqual([404])
    for (const who of [p.reporter, p.securityManager, p.developer, p.owner, p.admin]) {
      expect(await statuses(who, p)).toEqual([200])
      expect(await threads(who, p)).toEqual(withInternal)
    }
  })

  test('in a public one shows internal threads from Planner up alone, and to their author', async () => {
    const p = await reviewed({ visibility: 'public' })
    for (const who of [p.guest, p.stranger]) {
      expect(await statuses(who, p)).toEqual([200])
      expect(await threads(who, p)).toEqual(without)
      const notes = await who.get(`${p.path}/notes`)
      expect([notes.text.includes('secret'), notes.headers.get('x-total')]).toEqual([false, '2'])
    }
    for (const who of [p.planner, p.reporter, p.maintainer])
      expect(await threads(who, p)).toEqual(withInternal)
  })

  test('shows anonymous callers what changes, but neither threads nor approvals', async () => {
    const p = await reviewed({ visibility: 'public' })
    for (const end of ['commits', 'diffs', 'changes', 'raw_diffs', 'versions'])
      expect([end, (await p.anonymous.get(`${p.path}/${end}`)).status]).toEqual([end, 200])
    for (const end of ['discussions', 'notes', 'approvals'])
      expect([end, (await p.anonymous.get(`${p.path}/${end}`)).status]).toEqual([end, 401])
  })

  test('is closed with the code, and with merge requests', async () => {
    for (const feature of ['repository_access_level', 'merge_requests_access_level']) {
      const p = await reviewed({ visibility: 'public' })
      await p.owner.put(`/projects/${p.id}`, { [feature]: 'private' })
      expect([feature, await statuses(p.stranger, p)]).toEqual([feature, [403]])
      expect([feature, await statuses(p.reporter, p)]).toEqual([feature, [200]])
      await p.owner.put(`/projects/${p.id}`, { [feature]: 'disabled' })
      expect([feature, await statuses(p.owner, p)]).toEqual([feature, [403]])
    }
  })

  test('takes tokens with the scope to read it, and to write it', async () => {
    const p = await reviewed({ visibility: 'public' })
    const { client: reader } = await w.token(p.maintainer, ['read_api'])
    const { client: other } = await w.token(p.maintainer, ['read_repository'])
    expect(await statuses(reader, p)).toEqual([200])
    expect(await statuses(other, p)).toEqual([403])
    for (const who of [reader, other]) {
      expect((await who.post(`${p.path}/approve`)).status).toBe(403)
      const thread = `${p.path}/discussions/${p.open.id}`
      expect((await who.put(thread, { resolved: true })).status).toBe(403)
    }
  })
})
