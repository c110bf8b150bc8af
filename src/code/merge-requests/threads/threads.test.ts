import { describe, expect, test } from 'vitest'
import { bodies } from '#planning/notes/test-support.ts'
import type { Client } from '#test/client.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { commits, importInto } from '#test/repositories.ts'
import { type ContainerOptions, w } from '#test/world.ts'

/** A merge request of a reporter, who may resolve its threads as its author. */
async function opened(options?: ContainerOptions) {
  const p = await branchedProject(options)
  const { path, body } = await openMergeRequest(p, p.developer)
  const { id } = body
  await w.db.updateTable('merge_requests').set({ author_id: p.reporter.id }).where('id', '=', id).execute()
  return {
    ...p,
    commenter: p.securityManager,
    path,
    body,
    discussions: `${path}/discussions`,
    refs: body.diff_refs,
  }
}

type Opened = Awaited<ReturnType<typeof opened>>

async function started(p: Opened, by: Client = p.commenter, more: object = {}) {
  const { status, body, text } = await by.post(p.discussions, { body: 'Why?', ...more })
  if (status !== 201) throw new Error(text)
  return {
    body,
    path: `${p.discussions}/${body.id}`,
    note: `${p.discussions}/${body.id}/notes/${body.notes[0].id}`,
  }
}

const onLine = ({ refs }: Opened, more: object = {}) => ({
  position: { ...refs, position_type: 'text', new_path: 'a.txt', old_path: 'a.txt', new_line: 2, ...more },
})

const NO_LINE = `400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}`

/** The body of the refusal of a thread. */
async function refusal(p: Opened, more: object, others: object = {}) {
  const { status, body } = await p.developer.post(p.discussions, { body: 'x', ...onLine(p, more), ...others })
  expect([more, status]).toEqual([more, 400])
  return body
}

const states = (body: { notes: { resolved: boolean }[] }) => body.notes.map(({ resolved }) => resolved)

describe('a thread on the diff', () => {
  test('is a DiffNote with every field of its position', async () => {
    const p = await opened()
    const { body } = await started(p, p.developer, onLine(p))
    const [note] = body.notes
    expect(body).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{40}$/), individual_note: false })
    expect(note).toMatchObject({
      type: 'DiffNote',
      commit_id: null,
      resolvable: true,
      resolved: false,
      resolved_by: null,
      resolved_at: null,
    })
    expect(note.position).toEqual({
      ...p.refs,
      position_type: 'text',
      old_path: 'a.txt',
      new_path: 'a.txt',
      old_line: null,
      new_line: 2,
      line_range: null,
    })
    const reply = await p.commenter.post(`${p.discussions}/${body.id}/notes`, { body: 'So' })
    expect([reply.status, reply.body]).toMatchObject([201, { type: 'DiffNote', position: note.position }])
    const [listed] = (await p.commenter.get(p.discussions)).body
    expect(listed.notes).toMatchObject([{ id: note.id, position: note.position }, { id: reply.body.id }])
    expect((await p.commenter.get(`${p.path}/notes/${note.id}`)).body.position).toEqual(note.position)
  })

  test('stands on a removed line, on an unchanged one, and on several', async () => {
    const p = await opened()
    const removed = await started(p, p.developer, onLine(p, { new_line: null, old_line: 2 }))
    expect(removed.body.notes[0].position).toMatchObject({ old_line: 2, new_line: null })
    const unchanged = await started(p, p.developer, onLine(p, { new_line: 3, old_line: 3 }))
    expect(unchanged.body.notes[0].position).toMatchObject({ old_line: 3, new_line: 3 })
    const line_range = {
      start: { line_code: 'x_1_1', type: null, old_line: 1, new_line: 1 },
      end: { line_code: 'x_2_2', type: 'new', old_line: null, new_line: 2 },
    }
    const several = await started(p, p.developer, onLine(p, { line_range }))
    expect(several.body.notes[0].position.line_range).toEqual(line_range)
  })

  test('stands on an image, at a place of it', async () => {
    const p = await branchedProject()
    const from = Buffer.from('reset refs/heads/picture\nfrom refs/heads/main\n\n')
    const png = Buffer.from('89504e470d0a1a0a00000000', 'hex')
    await importInto(p, Buffer.concat([from, commits({ branch: 'picture', files: { 'p.png': png } })]))
    const { path, body } = await openMergeRequest(p, p.developer, { source_branch: 'picture' })
    const place = { x: 10, y: 20, width: 100, height: 200 }
    const position = { ...body.diff_refs, position_type: 'image', new_path: 'p.png', ...place }
    const { body: made } = await p.developer.post(`${path}/discussions`, { body: 'Here', position })
    expect(made.notes[0]).toMatchObject({
      type: 'DiffNote',
      position: { position_type: 'image', old_path: 'p.png', new_path: 'p.png', ...place },
    })
  })

  test('stands on an earlier version, and on one commit', async () => {
    const p = await opened()
    await p.developer.put(p.path, { target_branch: 'clash' })
    const earlier = await started(p, p.developer, onLine(p))
    expect(earlier.body.notes[0].position).toMatchObject(p.refs)
    const [, first] = (await p.commenter.get(`${p.path}/commits`)).body
    const [base] = first.parent_ids
    const refs = { base_sha: base, start_sha: base, head_sha: first.id }
    const { body } = await started(p, p.developer, { ...onLine(p, refs), commit_id: first.id })
    expect(body.notes[0]).toMatchObject({ commit_id: first.id, position: refs })
    expect(body.notes[0].position).not.toHaveProperty('commit_id')
    const reply = await p.commenter.post(`${p.discussions}/${body.id}/notes`, { body: 'So' })
    expect(reply.body.commit_id).toBe(first.id)
  })

  test('needs both numbers of an unchanged line', async () => {
    const p = await opened()
    const both = `${NO_LINE} (position needs both old_line and new_line for an unchanged line)`
    for (const line of [{ new_line: 1 }, { new_line: null, old_line: 3 }, { new_line: 1, old_line: 3 }])
      expect(await refusal(p, line)).toEqual({ message: NO_LINE, error: both })
    expect((await started(p, p.developer, onLine(p, { new_line: 1, old_line: 1 }))).body.notes).toHaveLength(
      1,
    )
  })

  test('is refused at a wrong position', async () => {
    const p = await opened()
    const unknown = { position: ['names a commit that the repository does not have'] }
    for (const name of ['base_sha', 'start_sha', 'head_sha'])
      for (const id of ['a'.repeat(40), 'main', p.refs.head_sha.slice(0, 10)])
        expect(await refusal(p, { [name]: id })).toEqual({ message: unknown })
    const noFile = await refusal(p, { new_path: 'd.txt', old_path: 'd.txt' })
    expect(noFile).toEqual({ message: NO_LINE, error: `${NO_LINE} (position names no file of the diff)` })
    for (const line of [{ new_line: 99 }, { new_line: null }, { new_line: 2, old_line: 2 }])
      expect((await refusal(p, line)).message).toBe(NO_LINE)
    expect((await refusal(p, { position_type: 'file', new_path: 'd.txt' })).message).toEqual({
      position: ['names no file of the diff'],
    })
    expect(await refusal(p, { new_line: 0 })).toEqual(expect.anything())
    expect(await refusal(p, { position_type: 'sound' })).toEqual(expect.anything())
    const commit_id = p.body.diff_refs.start_sha
    expect((await refusal(p, {}, { commit_id })).message).toEqual({
      commit_id: ['is no commit of the merge request'],
    })
    const alone = await p.developer.post(p.discussions, { body: 'x', commit_id })
    expect(alone.status).toBe(400)
    expect((await p.developer.get(p.discussions)).body).toEqual([])
  })

  test('keeps a suggestion in its text, and shows it', async () => {
    const p = await opened()
    const suggestion = 'Rather\n\n```suggestion:-0+0\nTwo\n```'
    const { body } = await started(p, p.developer, { ...onLine(p), body: suggestion })
    expect(body.notes[0]).toMatchObject({ body: suggestion, suggestions: [{ to_content: 'Two\n' }] })
  })
})

describe('resolving a thread', () => {
  test('resolves all its notes, and opens them again', async () => {
    const p = await opened()
    const { path, body } = await started(p)
    await p.commenter.post(`${path}/notes`, { body: 'So' })
    w.clock.hold('2030-01-01T00:00:00.000Z')
    const resolved = await p.developer.put(`${path}?resolved=true`)
    expect([resolved.status, resolved.body.id, states(resolved.body)]).toEqual([200, body.id, [true, true]])
    expect(resolved.body.notes[0]).toMatchObject({
      resolved_at: '2030-01-01T00:00:00.000Z',
      resolved_by: { id: p.developer.id, username: p.developer.username },
    })
    expect((await p.developer.get(path)).body).toEqual(resolved.body)
    const again = await p.developer.put(path, { resolved: false })
    expect(states(again.body)).toEqual([false, false])
    expect(again.body.notes[0]).toMatchObject({ resolved_by: null, resolved_at: null })
    expect((await p.developer.put(path, {})).body.error).toBe('resolved is missing')
  })

  test('a reply to a resolved thread leaves it resolved', async () => {
    const p = await opened()
    const { path } = await started(p)
    await p.developer.put(path, { resolved: true })
    const reply = await p.commenter.post(`${path}/notes`, { body: 'Thanks' })
    expect(reply.body).toMatchObject({ resolved: true, resolved_by: { id: p.commenter.id } })
    expect(states((await p.commenter.get(path)).body)).toEqual([true, true])
  })

  test('one note of it: PUT with resolved, instead of a body', async () => {
    const p = await opened()
    const { path, note } = await started(p)
    await p.commenter.post(`${path}/notes`, { body: 'So' })
    const one = await p.developer.put(note, { resolved: true })
    expect([one.status, one.body]).toMatchObject([
      200,
      { resolved: true, resolved_by: { id: p.developer.id } },
    ])
    expect(states((await p.commenter.get(path)).body)).toEqual([true, false])
    expect((await p.developer.put(note, { resolved: false })).body.resolved).toBe(false)
    for (const wrong of [{}, { resolved: true, body: 'x' }, { resolved: true, confidential: true }])
      expect((await p.developer.put(note, wrong)).status).toBe(400)
    expect((await p.commenter.put(note, { body: 'y' })).body.body).toBe('y')
    const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' }
    expect((await p.developer.put(note, { resolved: true }, { headers })).status).toBe(412)
  })

  test('is for Developer and up, and for the author of the merge request', async () => {
    const p = await opened({ visibility: 'public' })
    const { path, note } = await started(p)
    for (const who of [p.commenter, p.guest, p.stranger]) {
      expect((await who.put(path, { resolved: true })).status).toBe(403)
      expect((await who.put(note, { resolved: true })).status).toBe(403)
    }
    expect((await p.anonymous.put(path, { resolved: true })).status).toBe(401)
    for (const who of [p.reporter, p.developer, p.maintainer, p.owner, p.admin]) {
      expect((await who.put(path, { resolved: true })).status).toBe(200)
      expect((await who.put(path, { resolved: false })).status).toBe(200)
    }
  })

  test('single notes and those of the system cannot be resolved', async () => {
    const p = await opened()
    await p.commenter.post(`${p.path}/notes`, { body: 'x' })
    await p.developer.put(p.path, { title: 'Other' })
    for (const { id, notes } of (await p.developer.get(p.discussions)).body) {
      expect(notes[0]).toMatchObject({ resolvable: false })
      expect(notes[0]).not.toHaveProperty('resolved')
      expect((await p.developer.put(`${p.discussions}/${id}`, { resolved: true })).status).toBe(403)
    }
    const missing = await p.developer.put(`${p.discussions}/${'a'.repeat(40)}`, { resolved: true })
    expect([missing.status, missing.body.message]).toEqual([404, '404 Discussion Not Found'])
  })

  test('an internal one is not there for those who may not see it', async () => {
    const p = await opened()
    const { path } = await started(p, p.commenter, { internal: true })
    await w.db
      .updateTable('members')
      .set({ access_level: 10 })
      .where('namespace_id', '=', p.namespaceId)
      .where('user_id', '=', p.reporter.id)
      .execute()
    expect((await p.reporter.put(path, { resolved: true })).status).toBe(403)
    const open = await opened({ visibility: 'public' })
    const hidden = await started(open, open.commenter, { internal: true })
    expect((await open.stranger.put(hidden.path, { resolved: true })).status).toBe(404)
  })

  test('the last one of a merge request tells that all are resolved', async () => {
    const p = await opened()
    const [one, two] = [await started(p), await started(p, p.commenter, onLine(p))]
    const told = async () => bodies(await p.commenter.get(`${p.path}/notes?sort=asc`)).slice(2)
    await p.developer.put(one.path, { resolved: true })
    expect(await told()).toEqual([])
    await p.developer.put(two.note, { resolved: true })
    expect(await told()).toEqual(['resolved all threads'])
    await p.developer.put(two.note, { resolved: true })
    expect(await told()).toEqual(['resolved all threads'])
  })

  test('blocks the merge where the project demands it', async () => {
    const p = await opened()
    const { path } = await started(p)
    const seen = async () => {
      const { body } = await p.commenter.get(p.path)
      return [body.blocking_discussions_resolved, body.detailed_merge_status === 'discussions_not_resolved']
    }
    await w.db
      .updateTable('merge_requests')
      .set({ merge_status: 'can_be_merged' })
      .where('id', '=', p.body.id)
      .execute()
    expect(await seen()).toEqual([true, false])
    const setting = { only_allow_merge_if_all_discussions_are_resolved: true }
    expect((await p.maintainer.put(`/projects/${p.id}`, setting)).status).toBe(200)
    expect(await seen()).toEqual([false, true])
    await p.developer.put(path, { resolved: true })
    expect(await seen()).toEqual([true, false])
    await p.commenter.post(`${p.path}/notes`, { body: 'A single note' })
    expect(await seen()).toEqual([true, false])
  })

  test('by two at once happens once', async () => {
    const p = await opened()
    const { path } = await started(p)
    const answers = await Promise.all(
      [p.developer, p.maintainer, p.owner].map((who) => who.put(path, { resolved: true })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const notes = bodies(await p.commenter.get(`${p.path}/notes`))
    expect(notes.filter((body) => body === 'resolved all threads')).toHaveLength(1)
  })
})

test('threads on issues and commits cannot be resolved', async () => {
  const p = await branchedProject()
  const { body: issue } = await p.developer.post(`/projects/${p.id}/issues`, { title: 'x' })
  for (const on of [`issues/${issue.iid}`, 'repository/commits/main']) {
    const discussions = `/projects/${p.id}/${on}/discussions`
    const { body } = await p.developer.post(discussions, { body: 'x' })
    expect(body.notes[0]).toMatchObject({ resolvable: false })
    expect((await p.developer.put(`${discussions}/${body.id}`, { resolved: true })).status).toBe(405)
  }
})
