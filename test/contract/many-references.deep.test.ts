import { describe, expect, test } from 'vitest'
import { MAX_REFERENCES } from '#planning/references/parse-references.ts'
import { onPremium, open, own } from '#planning/epics/test-support.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'

onPremium()

/** More references than the stack has room for. */
const many = (reference: string) => `${reference} `.repeat(125_000)

async function place() {
  const p = await branchedProject({ visibility: 'public' }, own)
  const issue = await p.owner.post(`/projects/${p.id}/issues`, { title: 'One' })
  expect(issue.status).toBe(201)
  return { ...p, at: `/projects/${p.id}` }
}

describe('a text may refer to something 125,000 times', () => {
  test('in the description of an issue, a merge request and a snippet', async () => {
    const { at, owner } = await place()
    const title = 'Many'
    const issue = await owner.post(`${at}/issues`, { title, description: many('#1') })
    const branches = { source_branch: 'feature', target_branch: 'main' }
    const merge = { title, description: `Closes ${many('#1')}`, ...branches }
    const request = await owner.post(`${at}/merge_requests`, merge)
    const files = [{ file_path: 'a.txt', content: 'a' }]
    const snippet = await owner.post(`${at}/snippets`, {
      title,
      description: many('#1'),
      visibility: 'public',
      files,
    })
    const page = await owner.post(`${at}/wikis`, { title, content: many('#1') })
    expect([issue.status, request.status, snippet.status, page.status]).toEqual([201, 201, 201, 201])
    const { body } = await owner.get(`${at}/issues/1/notes?sort=asc`)
    expect(body.map((note: { body: string }) => note.body)).toEqual([
      'mentioned in issue #2',
      'mentioned in merge request !1',
      expect.stringContaining('mentioned in snippet'),
    ])
  })

  test('in a note, a thread and a reply to it', async () => {
    const { at, owner, id } = await place()
    await openMergeRequest({ id }, owner)
    const note = await owner.post(`${at}/merge_requests/1/notes`, { body: many('#1') })
    const thread = await owner.post(`${at}/issues/1/discussions`, { body: many('!1') })
    const replies = `${at}/issues/1/discussions/${thread.body.id}/notes`
    const reply = await owner.post(replies, { body: many('@nobody') })
    const labels = await owner.post(replies, { body: many('~bug') })
    expect([note.status, thread.status, reply.status, labels.status]).toEqual([201, 201, 201, 201])
  })

  test('in the description of an epic, and in commands', async () => {
    const group = await own.group()
    const epic = await open(group.owner, group, { description: many('&1') })
    expect(epic.iid).toBe(1)
    const { at, owner } = await place()
    const note = await owner.post(`${at}/issues/1/notes`, { body: `/label ${many('~a')}\n/cc ${many('@a')}` })
    expect(note.status).toBeLessThan(500)
  })

  test('in the message of a commit, which closes an issue', async () => {
    const { at, owner } = await place()
    const commit = {
      branch: 'main',
      commit_message: `Closes ${many('#1').slice(0, 60_000)}`,
      actions: [{ action: 'create', file_path: 'new.txt', content: 'new' }],
    }
    expect((await owner.post(`${at}/repository/commits`, commit)).status).toBe(201)
    await expect.poll(async () => (await owner.get(`${at}/issues/1`)).body.state).toBe('closed')
  })
})

test('what comes after the last reference that a text may have is plain text', async () => {
  const { at, owner } = await place()
  await owner.post(`${at}/issues`, { title: 'Two' })
  await owner.post(`${at}/issues`, { title: 'Three' })
  const body = `${'#1 '.repeat(MAX_REFERENCES - 1)} #2 #3`
  expect((await owner.post(`${at}/issues/1/notes`, { body })).status).toBe(201)
  const told = async (iid: number) => (await owner.get(`${at}/issues/${iid}/notes`)).body.length
  expect([await told(2), await told(3)]).toEqual([1, 0])
})
