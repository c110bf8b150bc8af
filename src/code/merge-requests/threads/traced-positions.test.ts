import { describe, expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { commits, importInto } from '#test/repositories.ts'
import type { Client } from '#test/client.ts'

/** A merge request of `feature`; then `main` goes on, with a line above and another file. */
async function behind() {
  const p = await branchedProject()
  const { path, body } = await openMergeRequest(p, p.developer)
  const files = { 'a.txt': 'zero\none\ntwo\nthree\n', 'e.txt': 'e\n' }
  const on = Buffer.from('reset refs/heads/main\nfrom refs/heads/main^0\n\n')
  const { row } = await importInto(p, Buffer.concat([on, commits({ files })]))
  return { ...p, path, refs: body.diff_refs, head: body.sha as string, tip: row.last_commit_sha ?? '' }
}

async function place(by: Client, path: string, position: object) {
  const { status, body } = await by.post(`${path}/discussions`, { body: 'Why?', position })
  return { status, body, position: body.notes?.[0].position }
}

describe('a position on a diff that is no version of the merge request', () => {
  // Both tips and a number, as reviewdog sends it.
  test('stands on the current diff when it is between the tips of the branches', async () => {
    const p = await behind()
    const tips = { base_sha: p.tip, start_sha: p.tip, head_sha: p.head, position_type: 'text' }
    const added = await place(p.developer, p.path, { ...tips, new_path: 'a.txt', new_line: 2 })
    expect([added.status, added.body.notes[0].type]).toEqual([201, 'DiffNote'])
    expect(added.position).toEqual({
      ...p.refs,
      position_type: 'text',
      old_path: 'a.txt',
      new_path: 'a.txt',
      old_line: null,
      new_line: 2,
      line_range: null,
    })
    // A line that did not change gets its other number.
    const unchanged = await place(p.developer, p.path, { ...tips, new_path: 'a.txt', new_line: 3 })
    expect(unchanged.position).toMatchObject({ ...p.refs, old_line: 3, new_line: 3 })
    // The third line of the tip is the second one of the diff.
    const removed = await place(p.developer, p.path, { ...tips, old_path: 'a.txt', old_line: 3 })
    expect(removed.position).toMatchObject({ ...p.refs, old_line: 2, new_line: null })
    const both = { new_path: 'a.txt', old_path: 'a.txt', old_line: 4, new_line: 3 }
    expect((await place(p.developer, p.path, { ...tips, ...both })).position).toMatchObject({
      ...p.refs,
      old_line: 3,
      new_line: 3,
    })
    const whole = { ...tips, position_type: 'file', new_path: 'b.txt' }
    expect((await place(p.developer, p.path, whole)).position).toMatchObject({
      ...p.refs,
      new_path: 'b.txt',
    })
    expect((await p.reporter.get(`${p.path}/discussions`)).body).toHaveLength(5)
  })

  test('stays on its own diff when the current one does not show the line', async () => {
    const p = await behind()
    const tips = { base_sha: p.tip, start_sha: p.tip, head_sha: p.head, position_type: 'text' }
    // Only `main` has it.
    const there = await place(p.developer, p.path, { ...tips, old_path: 'e.txt', old_line: 1 })
    expect([there.status, there.position]).toMatchObject([201, { ...tips, old_path: 'e.txt', old_line: 1 }])
    const zero = await place(p.developer, p.path, { ...tips, old_path: 'a.txt', old_line: 1 })
    expect([zero.status, zero.position]).toMatchObject([201, { ...tips, old_line: 1, new_line: null }])
    const image = { ...tips, position_type: 'file', old_path: 'e.txt' }
    expect((await place(p.developer, p.path, image)).position).toMatchObject(image)
    const { status, body } = await place(p.developer, p.path, { ...tips, old_path: 'e.txt', old_line: 7 })
    expect([status, body.message]).toMatchObject([400, expect.stringContaining(':line_code=>')])
    const outside = { ...tips, new_path: 'a.txt', old_path: '../../a', new_line: 9, old_line: 9 }
    expect((await place(p.developer, p.path, outside)).status).toBe(400)
  })

  test('follows its line to the last commit of the source branch', async () => {
    const p = await behind()
    const first = (await p.reporter.get(`${p.path}/commits`)).body.at(-1).id
    const write = { branch: 'feature', commit_message: 'Begin earlier' }
    const actions = [{ action: 'update', file_path: 'a.txt', content: 'minus\nzero\none\nTWO\n' }]
    await p.developer.post(`/projects/${p.id}/repository/commits`, { ...write, actions })
    const { diff_refs } = (await p.developer.get(p.path)).body
    expect(diff_refs.head_sha).not.toBe(p.head)
    const old = { base_sha: p.refs.base_sha, start_sha: p.tip, head_sha: first, position_type: 'text' }
    const moved = await place(p.developer, p.path, { ...old, new_path: 'a.txt', new_line: 2 })
    expect([moved.status, moved.position]).toMatchObject([201, { ...diff_refs, new_line: 4 }])
    const removed = await place(p.developer, p.path, { ...old, old_path: 'a.txt', old_line: 2 })
    expect([removed.status, removed.position]).toMatchObject([201, { ...diff_refs, old_line: 2 }])
    // It is gone, but the diff that the position names shows it.
    const gone = await place(p.developer, p.path, { ...old, new_path: 'a.txt', new_line: 3, old_line: 3 })
    expect([gone.status, gone.position]).toMatchObject([201, { ...old, new_line: 3, old_line: 3 }])
  })
})

test('a position on another diff stands on the one of the commit', async () => {
  const p = await behind()
  const [last, first] = (await p.reporter.get(`${p.path}/commits`)).body
  const path = `/projects/${p.id}/repository/commits/${first.id}`
  const [base_sha] = first.parent_ids
  const wide = { base_sha: p.tip, start_sha: p.tip, head_sha: last.id, position_type: 'text' }
  const { status, position } = await place(p.developer, path, { ...wide, new_path: 'a.txt', new_line: 2 })
  expect([status, position]).toMatchObject([
    201,
    { base_sha, start_sha: base_sha, head_sha: first.id, new_line: 2, old_line: null },
  ])
  const later = await place(p.developer, path, { ...wide, new_path: 'c.txt', new_line: 1 })
  expect([later.status, later.position]).toMatchObject([201, { ...wide, new_path: 'c.txt' }])
  const onCommit = { commit_id: first.id, position: { ...wide, new_path: 'b.txt', new_line: 1 } }
  const one = await p.developer.post(`${p.path}/discussions`, { body: 'On it', ...onCommit })
  expect([one.status, one.body.notes?.[0]]).toMatchObject([
    201,
    { commit_id: first.id, position: { head_sha: first.id, new_path: 'b.txt' } },
  ])
})
