import { describe, expect, test } from 'vitest'
import { bodies } from '#planning/notes/test-support.ts'
import type { Client } from '#test/client.ts'
import { lockWaiters } from '#test/lock-waiters.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'
import { MAX_DRAFT_NOTES } from './limits.ts'

async function opened() {
  const p = await branchedProject({ visibility: 'public' })
  const { path, body } = await openMergeRequest(p, p.developer)
  const drafts = `${path}/draft_notes`
  const position = {
    ...body.diff_refs,
    position_type: 'text',
    old_path: 'a.txt',
    new_path: 'a.txt',
    new_line: 2,
  }
  return { ...p, path, body, drafts, position, discussions: `${path}/discussions` }
}

type Opened = Awaited<ReturnType<typeof opened>>

async function drafted({ drafts }: Opened, by: Client, more: object = {}) {
  const { status, body, text } = await by.post(drafts, { note: 'Why?', ...more })
  if (status !== 201) throw new Error(text)
  return { body, path: `${drafts}/${body.id}` }
}

const comments = async ({ path, owner }: Opened) => bodies(await owner.get(`${path}/notes?sort=asc`))
const publishAll = ({ drafts }: Opened, by: Client) => by.post(`${drafts}/bulk_publish`)

describe('draft notes', () => {
  test('have every field, and are listed, changed and deleted', async () => {
    const p = await opened()
    const { body, path } = await drafted(p, p.reporter)
    expect(body).toEqual({
      id: body.id,
      author_id: p.reporter.id,
      merge_request_id: p.body.id,
      resolve_discussion: false,
      discussion_id: null,
      note: 'Why?',
      commit_id: null,
      line_code: null,
      position: {
        base_sha: null,
        start_sha: null,
        head_sha: null,
        old_path: null,
        new_path: null,
        position_type: 'text',
        old_line: null,
        new_line: null,
        line_range: null,
      },
    })
    expect((await p.reporter.get(path)).body).toEqual(body)
    const other = await drafted(p, p.reporter, { note: 'And?' })
    expect((await p.reporter.get(p.drafts)).body).toEqual([body, other.body])
    expect((await p.reporter.get(`${p.drafts}?per_page=1`)).headers.get('x-total')).toBe('2')
    const { status, body: changed } = await p.reporter.put(path, { note: 'Why not?' })
    expect([status, changed]).toEqual([200, { ...body, note: 'Why not?' }])
    const placed = await p.reporter.put(path, { position: p.position })
    expect(placed.body).toMatchObject({ note: 'Why not?', position: p.position })
    expect((await p.reporter.delete(path)).status).toBe(204)
    expect((await p.reporter.get(path)).status).toBe(404)
    expect((await p.reporter.get(p.drafts)).body).toEqual([other.body])
  })

  test('are seen by their authors alone', async () => {
    const p = await opened()
    const { path } = await drafted(p, p.reporter)
    for (const who of [p.owner, p.admin, p.developer]) {
      expect((await who.get(p.drafts)).body).toEqual([])
      expect((await who.get(path)).body).toEqual({ message: '404 Draft Note Not Found' })
      expect((await who.put(path, { note: 'x' })).status).toBe(404)
      expect((await who.delete(path)).status).toBe(404)
      expect((await who.put(`${path}/publish`)).status).toBe(404)
      expect((await publishAll(p, who)).status).toBe(204)
    }
    expect((await p.anonymous.get(p.drafts)).status).toBe(401)
    expect((await p.reporter.get(path)).status).toBe(200)
    expect(await comments(p)).toEqual([])
    expect((await p.owner.get(p.path)).body.user_notes_count).toBe(0)
    const other = await openMergeRequest(p, p.developer, { target_branch: 'feature', source_branch: 'main' })
    expect((await p.reporter.get(`${other.path}/draft_notes`)).body).toEqual([])
    expect((await p.reporter.get(path.replace(p.path, other.path))).status).toBe(404)
  })

  test('are refused with what cannot be', async () => {
    const p = await opened()
    const refused = async (json: object) => {
      const { status, body } = await p.reporter.post(p.drafts, json)
      expect([json, status]).toEqual([json, 400])
      return body.error ?? body.message
    }
    expect(await refused({})).toBe('note is missing')
    await refused({ note: ' ' })
    await refused({ note: 'x'.repeat(1_000_001) })
    await refused({ note: 'x', commit_id: p.body.sha })
    await refused({ note: 'x', position: { ...p.position, new_line: 99 } })
    await refused({ note: 'x', resolve_discussion: true })
    await refused({ note: 'x', in_reply_to_discussion_id: 'a'.repeat(40), position: p.position })
    const nowhere = { note: 'x', in_reply_to_discussion_id: 'a'.repeat(40) }
    expect((await p.reporter.post(p.drafts, nowhere)).body.message).toBe('404 Discussion Not Found')
    const { path } = await drafted(p, p.reporter)
    expect((await p.reporter.put(path, {})).status).toBe(400)
    expect((await p.reporter.put(path, { note: '' })).status).toBe(400)
    await p.developer.put(p.path, { discussion_locked: true })
    expect((await p.stranger.post(p.drafts, { note: 'x' })).status).toBe(403)
  })

  test('have a limit for each person on each merge request', async () => {
    const p = await opened()
    await w.db
      .insertInto('draft_notes')
      .values(
        Array.from({ length: MAX_DRAFT_NOTES - 1 }, (_, n) => ({
          merge_request_id: p.body.id,
          author_id: p.reporter.id,
          note: `${n}`,
          created_at: '2030-01-01T00:00:00Z',
        })),
      )
      .execute()
    const answers = await Promise.all([1, 2, 3].map(() => p.reporter.post(p.drafts, { note: 'x' })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400])
    expect((await p.developer.post(p.drafts, { note: 'x' })).status).toBe(201)
    expect((await publishAll(p, p.reporter)).status).toBe(204)
    expect(await comments(p)).toHaveLength(20)
    expect((await p.owner.get(p.path)).body.user_notes_count).toBe(MAX_DRAFT_NOTES)
    const long = { note: '€'.repeat(1_000_000) }
    expect((await p.reporter.post(p.drafts, long)).status).toBe(201)
    expect((await p.reporter.post(p.drafts, long)).status).toBe(400)
  })
})

describe('publishing', () => {
  test('one makes a thread, once, with what its commands do', async () => {
    const p = await opened()
    const one = await drafted(p, p.developer, { note: `Look, @${p.owner.username}\n/title Louder` })
    const two = await drafted(p, p.developer, { note: 'Later' })
    const { status, body } = await p.developer.put(`${one.path}/publish`)
    expect([status, body]).toEqual([204, undefined])
    const [thread] = (await p.owner.get(p.discussions)).body
    expect(thread).toMatchObject({ individual_note: false, notes: [{ type: 'DiscussionNote' }] })
    expect(thread.notes[0]).toMatchObject({
      body: `Look, @${p.owner.username}`,
      author: { id: p.developer.id },
    })
    expect((await p.owner.get(p.path)).body.title).toBe('Louder')
    await expect
      .poll(async () => (await p.owner.get(`/todos?project_id=${p.id}`)).body)
      .toMatchObject([{ action_name: 'mentioned', body: `Look, @${p.owner.username}` }])
    expect((await p.developer.get(p.drafts)).body).toEqual([two.body])
    expect((await p.developer.put(`${one.path}/publish`)).status).toBe(404)
  })

  test('all makes threads in their order, on the diff where they stand there', async () => {
    const p = await opened()
    await drafted(p, p.reporter, { note: 'First' })
    const commit_id = p.body.sha
    const { diff_refs } = p.body
    const [head] = (await p.owner.get(`${p.path}/commits`)).body
    const ofCommit = { base_sha: head.parent_ids[0], start_sha: head.parent_ids[0], head_sha: commit_id }
    await drafted(p, p.reporter, { note: 'Second', position: p.position })
    await drafted(p, p.reporter, {
      note: 'Third',
      commit_id,
      position: { ...ofCommit, position_type: 'file', new_path: 'c.txt', old_path: 'c.txt' },
    })
    await drafted(p, p.developer, { note: 'Of somebody else' })
    expect((await publishAll(p, p.reporter)).status).toBe(204)
    const threads = (await p.owner.get(p.discussions)).body
    const notes = threads.map(({ notes: [note] }: { notes: object[] }) => note)
    expect(notes).toMatchObject([
      { body: 'First', type: 'DiscussionNote' },
      { body: 'Second', type: 'DiffNote', commit_id: null, position: { ...diff_refs, new_line: 2 } },
      { body: 'Third', type: 'DiffNote', commit_id },
    ])
    expect((await p.reporter.get(p.drafts)).body).toEqual([])
    expect((await p.developer.get(p.drafts)).body).toHaveLength(1)
    expect((await publishAll(p, p.reporter)).status).toBe(204)
    expect((await p.owner.get(p.discussions)).body).toHaveLength(threads.length)
  })

  test('a reply resolves its thread, or opens it again', async () => {
    const p = await opened()
    const { body: thread } = await p.reporter.post(p.discussions, { body: 'Why?' })
    const reply = { note: 'So', in_reply_to_discussion_id: thread.id }
    const seen = async () =>
      (await p.owner.get(`${p.discussions}/${thread.id}`)).body.notes.map(
        ({ body, resolved }: { body: string; resolved: boolean }) => [body, resolved],
      )
    const draft = await drafted(p, p.developer, { ...reply, resolve_discussion: true })
    expect(draft.body).toMatchObject({ discussion_id: thread.id, resolve_discussion: true })
    expect((await p.developer.put(draft.path, { position: p.position })).status).toBe(400)
    expect(await seen()).toEqual([['Why?', false]])
    await publishAll(p, p.developer)
    expect(await seen()).toEqual([
      ['Why?', true],
      ['So', true],
    ])
    expect(await comments(p)).toContain('resolved all threads')
    expect((await p.reporter.post(p.drafts, { ...reply, resolve_discussion: true })).status).toBe(403)
    // Who may not resolve leaves it as it is.
    await drafted(p, p.reporter, reply)
    await publishAll(p, p.reporter)
    expect((await seen())[0]).toEqual(['Why?', true])
    await drafted(p, p.developer, reply)
    await publishAll(p, p.developer)
    expect(await seen()).toEqual(['Why?', 'So', 'So', 'So'].map((text) => [text, false]))
  })

  test('a reply to a single note makes a thread of it, and resolves it', async () => {
    const p = await opened()
    const { body } = await p.reporter.post(`${p.path}/notes`, { body: 'Alone' })
    const [single] = (await p.owner.get(p.discussions)).body
    const reply = { in_reply_to_discussion_id: single.id, resolve_discussion: true }
    await drafted(p, p.developer, reply)
    await publishAll(p, p.developer)
    const [thread] = (await p.owner.get(p.discussions)).body
    expect(thread).toMatchObject({ individual_note: false, notes: [{ id: body.id, resolved: true }, {}] })
  })

  test('is all or nothing', async () => {
    const p = await opened()
    const { body: thread } = await p.reporter.post(p.discussions, { body: 'Why?' })
    await drafted(p, p.developer, { note: 'First' })
    const reply = await drafted(p, p.developer, { in_reply_to_discussion_id: thread.id })
    await p.reporter.delete(`${p.discussions}/${thread.id}/notes/${thread.notes[0].id}`)
    expect((await publishAll(p, p.developer)).body.message).toBe('404 Discussion Not Found')
    expect(await comments(p)).toEqual([])
    await p.developer.delete(reply.path)
    const { path } = await drafted(p, p.developer, { note: '/ready' })
    expect((await publishAll(p, p.developer)).body.message).toContain('ready already')
    expect((await p.developer.get(p.drafts)).body).toHaveLength(2)
    await p.developer.put(path, { note: '/draft' })
    expect((await publishAll(p, p.developer)).status).toBe(204)
    expect((await p.owner.get(p.path)).body.draft).toBe(true)
    expect(await comments(p)).toContain('First')
  })

  test('all may end the review, with a note that sums it up', async () => {
    const p = await opened()
    await p.developer.put(p.path, { reviewer_ids: [p.maintainer.id] })
    await drafted(p, p.maintainer, { note: 'On the whole' })
    const end = (by: Client, json: object) => by.post(`${p.drafts}/bulk_publish`, json)
    for (const wrong of [{ reviewer_state: 'bored' }, { internal: true }, { note: ' ' }])
      expect((await end(p.maintainer, wrong)).status).toBe(400)
    const review = { note: 'Not yet', internal: true, reviewer_state: 'requested_changes' }
    expect((await end(p.maintainer, review)).status).toBe(204)
    const notes = (await p.owner.get(`${p.path}/notes?sort=asc`)).body
    const said = notes.filter(({ system }: { system: boolean }) => !system)
    expect(said).toMatchObject([
      { body: 'On the whole', type: 'DiscussionNote' },
      { body: 'Not yet', type: null, internal: true },
    ])
    const [reviewer] = (await p.owner.get(`${p.path}/reviewers`)).body
    expect(reviewer.state).toBe('requested_changes')
    expect((await end(p.developer, { note: 'Fine', reviewer_state: 'reviewed' })).status).toBe(204)
    expect(await comments(p)).toContain('Fine')
  })

  test('by several at once publishes once', async () => {
    const p = await opened()
    const { path } = await drafted(p, p.developer, { note: 'Once' })
    const ones = [1, 2, 3].map(() => p.developer.put(`${path}/publish`))
    const alls = [1, 2, 3].map(() => publishAll(p, p.developer))
    const statuses = (await Promise.all([...ones, ...alls])).map(({ status }) => status)
    expect(statuses.every((status) => status === 204 || status === 404)).toBe(true)
    expect(await comments(p)).toEqual(['Once'])
  })

  test('what is changed at the same time is 409, and stays', async () => {
    const p = await opened()
    const { path } = await drafted(p, p.developer)
    const one = await w.db.transaction().execute(async (tx) => {
      await tx.selectFrom('noteables').select('id').where('id', '=', p.body.id).forNoKeyUpdate().execute()
      const publishing = [p.developer.put(`${path}/publish`), publishAll(p, p.developer)]
      await lockWaiters(2)
      expect((await p.developer.put(path, { note: 'Changed' })).status).toBe(200)
      return publishing
    })
    expect((await Promise.all(one)).map(({ status }) => status)).toEqual([409, 409])
    expect((await p.developer.get(path)).body.note).toBe('Changed')
    expect((await publishAll(p, p.developer)).status).toBe(204)
    expect(await comments(p)).toEqual(['Changed'])
  })

  test('cannot be done where nobody writes, and not with what is gone', async () => {
    const p = await opened()
    await drafted(p, p.developer)
    const { path } = await drafted(p, p.reporter)
    const left = () =>
      w.db.selectFrom('draft_notes').select('author_id').where('merge_request_id', '=', p.body.id)
    await p.owner.post(`/projects/${p.id}/archive`)
    expect((await publishAll(p, p.developer)).status).toBe(403)
    expect((await p.reporter.get(path)).status).toBe(200)
    await p.owner.post(`/projects/${p.id}/unarchive`)
    expect((await w.root.delete(`/users/${p.reporter.id}`)).status).toBe(204)
    await expect.poll(() => left().execute()).toEqual([{ author_id: p.developer.id }])
    expect((await p.owner.delete(p.path)).status).toBe(204)
    expect((await publishAll(p, p.developer)).status).toBe(404)
    await expect.poll(() => left().execute()).toEqual([])
  })
})
