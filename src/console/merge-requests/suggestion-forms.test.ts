import { beforeAll, expect, test } from 'vitest'
import {
  block,
  code,
  codeWith,
  suggestible,
  type Suggestible,
} from '#code/merge-requests/suggestions/test-support.ts'
import { csrfTokenIn, signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Suggestions of a review: made on the page of the changes, applied on the overview.

let p: Suggestible
let page = ''
let developer: Awaited<ReturnType<typeof signedIn>>
let reader: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  p = await suggestible({ visibility: 'public' })
  page = `/${p.fullPath}/-/merge_requests/${p.body.iid}`
  developer = await signedIn(w)
  reader = await signedIn(w)
  await w.member(p.namespaceId, developer, 30)
})

const shown = async (who: typeof developer) => (await who.visitor.get(page, HERE)).text
const drafts = async () => (await developer.user.get(`${p.path}/draft_notes`)).body

test('lines are chosen, changed and suggested', async () => {
  const changes = `${page}/diffs`
  const chosen = await submit(reader.visitor, changes, 'choose-lines', {
    file: 'code.txt',
    from: '3',
    to: '4',
  })
  const to = String(chosen.headers.location)
  expect([chosen.status, to]).toEqual([303, `${changes}?suggest=code.txt&from=3&to=4#draft-line-note`])
  const [address = ''] = to.split('#')
  const { text } = await reader.visitor.get(address, HERE)
  expect(text).toContain('```suggestion:-1+0\nline 3\nline 4\n```</textarea>')
  const said = await submit(reader.visitor, address, 'comment-line', {
    head_sha: p.body.diff_refs.head_sha,
    file: 'code.txt',
    side: 'new',
    line: '4',
    note: 'Shorter:\r\n\r\n```suggestion:-1+0\r\nline 3 and 4\r\n```',
  })
  expect([said.status, said.headers.location]).toEqual([
    303,
    expect.stringMatching(/\/diffs#[0-9a-f]{8}_0_4$/),
  ])
  const [thread] = (await p.developer.get(p.discussions)).body
  expect(thread.notes[0].suggestions).toMatchObject([
    { from_line: 3, to_line: 4, to_content: 'line 3 and 4\n' },
  ])
})

test.each([
  [{ file: 'code.txt', from: '3', to: '99' }, 'is not among those that are shown'],
  [{ file: 'code.txt', from: '3', to: '1' }, 'is not within 100 lines'],
  [{ file: 'nowhere.txt', from: '3', to: '' }, 'is not among those that are shown'],
])('lines that are not there cannot be chosen: %j', async (fields, problem) => {
  const { status, text } = await submit(reader.visitor, `${page}/diffs`, 'choose-lines', fields)
  expect([status, text]).toEqual([400, expect.stringContaining(problem)])
})

test('a suggestion is shown with its lines and applied by those who may push', async () => {
  const { id } = await p.suggest(p.reporter, 6, '<better>\n')
  const text = await shown(developer)
  for (const part of [
    'Suggests for line 6 of code.txt',
    '<code>line 6</code>',
    '<code>&lt;better&gt;</code>',
  ])
    expect(text).toContain(part)
  expect(text).not.toContain('```suggestion')
  expect(formsIn(text)).toContain(`apply-suggestion/${id}`)
  expect(formsIn(await shown(reader))).not.toContain(`apply-suggestion/${id}`)
  const stranger = await w.running.app.inject({ url: page, headers: HERE })
  expect(formsIn(stranger.body)).toEqual([])
  const applied = await submit(developer.visitor, page, `apply-suggestion/${id}`, {
    commit_message: 'Say it better',
  })
  expect([applied.status, applied.headers.location]).toEqual([303, page])
  expect([(await p.tip()).message, await p.fileNow()]).toEqual([
    'Say it better',
    codeWith({ 6: '<better>\n' }),
  ])
  const after = await shown(developer)
  expect(after).toContain('Suggested for line 6 of code.txt')
  expect(formsIn(after)).not.toContain(`apply-suggestion/${id}`)
})

test('several are applied as one commit', async () => {
  const one = await p.suggest(p.reporter, 8, 'eight\n')
  const other = await p.suggest(p.reporter, 9, 'nine\n')
  const none = await submit(developer.visitor, page, 'apply-suggestions', { 'ids[]': '' })
  expect([none.status, none.text]).toEqual([400, expect.stringContaining('are not chosen')])
  const { text } = await developer.visitor.get(page, HERE)
  const values = [...text.matchAll(/name="ids\[\]"\s+value="(\d+)"/g)].map(([, id]) => Number(id))
  expect(values).toEqual(expect.arrayContaining([one.id, other.id]))
  const before = (await p.tip()).id
  const fields = new URLSearchParams({ authenticity_token: csrfTokenIn(text), do: 'apply-suggestions' })
  for (const id of ['', one.id, other.id]) fields.append('ids[]', id)
  fields.append('commit_message', '')
  const applied = await developer.visitor.post(page, fields, HERE)
  expect(applied.status).toBe(303)
  const tip = await p.tip()
  expect([tip.parent_ids, tip.message.split('\n')[0]]).toEqual([
    [before],
    'Apply 2 suggestion(s) to 1 file(s)',
  ])
})

test('what cannot be applied says why', async () => {
  const same = await p.suggest(p.reporter, 1, 'line 1\n')
  const old = await p.suggest(p.reporter, 2, 'two\n')
  await p.commit({ 'code.txt': code().replace('line 2', 'changed') })
  const text = await shown(developer)
  expect(text).toContain('it changes nothing')
  expect(text).toContain('the lines have changed since it was made')
  for (const { id } of [same, old]) expect(formsIn(text)).not.toContain(`apply-suggestion/${id}`)
  await p.owner.put(p.path, { state_event: 'close' })
  expect(await shown(developer)).toContain('the merge request is not open')
  await p.owner.put(p.path, { state_event: 'reopen' })
})

test('a whole file is commented on, and threads are answered with drafts', async () => {
  const fields = { head_sha: (await p.developer.get(p.path)).body.diff_refs.head_sha, file: 'more.txt' }
  await submit(developer.visitor, `${page}/diffs`, 'comment-line', {
    ...fields,
    side: 'new',
    line: '',
    note: 'All of it',
  })
  const thread = (await p.developer.get(p.discussions)).body.at(-1)
  expect(thread.notes[0].position).toMatchObject({ position_type: 'file', new_path: 'more.txt' })
  const note = `${page}?note=${thread.notes[0].id}`
  for (const does of ['draft-reply', 'draft-resolve']) {
    const kept = await submit(developer.visitor, note, `${does}/${thread.id}`, { body: block('x\n') })
    expect([kept.status, kept.headers.location]).toEqual([303, `${page}/diffs`])
  }
  expect(await drafts()).toMatchObject([
    { discussion_id: thread.id, resolve_discussion: false },
    { discussion_id: thread.id, resolve_discussion: true },
  ])
})
