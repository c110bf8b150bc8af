import { beforeAll, expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { keyOf } from '../repository/line-keys.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Forms of a review: threads on lines, now or as drafts, which are published one by one or at once.

let p: Awaited<ReturnType<typeof branchedProject>>
let api = ''
let page = ''
let sha = ''
let developer: Awaited<ReturnType<typeof signedIn>>
let reader: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  p = await branchedProject({ visibility: 'public' })
  const { path, body } = await openMergeRequest(p, p.developer)
  api = path
  sha = body.diff_refs.head_sha
  page = `/${p.fullPath}/-/merge_requests/${body.iid}/diffs`
  developer = await signedIn(w)
  reader = await signedIn(w)
  await w.member(p.namespaceId, developer, 30)
})

const shown = async (who: typeof developer) => (await who.visitor.get(page, HERE)).text
const line = (more: object) => ({
  head_sha: sha,
  file: 'a.txt',
  side: 'new',
  line: '2',
  note: 'Why?',
  ...more,
})
const threads = async () => (await p.owner.get(`${api}/discussions`)).body
const drafts = async () => (await developer.user.get(`${api}/draft_notes`)).body

test('a thread is started on a line, added, unchanged or removed', async () => {
  const said = await submit(developer.visitor, page, 'comment-line', line({}))
  expect([said.status, said.headers.location]).toEqual([303, `${page}#${keyOf({ new_path: 'a.txt' })}_0_2`])
  await submit(developer.visitor, page, 'comment-line', line({ line: '1', note: 'Same' }))
  await submit(developer.visitor, page, 'comment-line', line({ side: 'old', note: 'Gone' }))
  const places = (await threads()).map(({ notes: [{ body, position }] }: { notes: [Said] }) => [
    body,
    position.old_line,
    position.new_line,
  ])
  expect(places).toEqual([
    ['Why?', null, 2],
    ['Same', 1, 1],
    ['Gone', 2, null],
  ])
})

interface Said {
  readonly body: string
  readonly position: { readonly old_line: number | null; readonly new_line: number | null }
}

test('drafts are kept, changed, deleted and published', async () => {
  const before = (await threads()).length
  for (const note of ['First', 'Second', 'Third **loud**'])
    await submit(developer.visitor, page, 'draft-line', line({ note }))
  expect(await threads()).toHaveLength(before)
  const [first, second, third] = await drafts()
  const text = await shown(developer)
  for (const part of ['3 draft notes', 'on line 2 of a.txt', '<strong>loud</strong>'])
    expect(text).toContain(part)
  expect(await shown(reader)).not.toContain('draft note')
  const overview = page.replace('/diffs', '')
  const reminded = (await developer.visitor.get(overview, HERE)).text
  for (const part of ['You have 3 draft notes', `href="${page}"`]) expect(reminded).toContain(part)
  expect((await reader.visitor.get(overview, HERE)).text).not.toContain('draft note')
  const changed = await submit(developer.visitor, page, `change-draft/${first.id}`, { note: 'Begin' })
  expect(changed.status).toBe(303)
  await submit(developer.visitor, page, `delete-draft/${second.id}`)
  await submit(developer.visitor, page, `publish-draft/${third.id}`)
  expect(await drafts()).toMatchObject([{ note: 'Begin' }])
  await submit(developer.visitor, page, 'publish-drafts')
  expect(await drafts()).toEqual([])
  const bodies = (await threads()).slice(before).map(({ notes: [{ body }] }: { notes: [Said] }) => body)
  expect(bodies).toEqual(['Third **loud**', 'Begin'])
})

test('a refusal is shown with what was typed', async () => {
  const wrong = await submit(developer.visitor, page, 'draft-line', line({ line: '99', note: 'Kept' }))
  expect(wrong.status).toBe(400)
  for (const part of ['is not among those that are shown of this file', '>Kept</textarea>', 'value="99"'])
    expect(wrong.text).toContain(part)
  const stale = await submit(developer.visitor, page, 'comment-line', line({ head_sha: '0'.repeat(40) }))
  expect([stale.status, stale.text]).toEqual([409, expect.stringContaining('has other commits by now')])
  const elsewhere = await submit(developer.visitor, page, 'comment-line', line({ file: 'no.txt' }))
  expect(elsewhere.status).toBe(400)
  expect(await drafts()).toEqual([])
})

test('what is offered follows from what somebody may do', async () => {
  expect(formsIn(await shown(reader))).toEqual(['draft-line', 'comment-line', 'choose-lines'])
  await submit(reader.visitor, page, 'draft-line', line({}))
  expect(formsIn(await shown(reader))).toContain('publish-drafts')
  const offered = formsIn(await shown(developer))
  expect(offered.slice(0, 3)).toEqual(['draft-line', 'comment-line', 'choose-lines'])
  expect(offered.slice(3).every((does) => does.startsWith('resolve/'))).toBe(true)
  const stranger = await w.running.app.inject({ url: page, headers: HERE })
  expect([stranger.statusCode, formsIn(stranger.body)]).toEqual([200, []])
  await p.owner.post(`/projects/${p.id}/archive`)
  expect(formsIn(await shown(developer))).toEqual([])
})
