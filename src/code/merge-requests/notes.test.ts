import { describe, expect, test } from 'vitest'
import { bodies, ids } from '#planning/notes/test-support.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { type ContainerOptions, w } from '#test/world.ts'

// The rows of the specification's tables "Note" and "Notes" about merge requests, each by its name.

async function opened(options?: ContainerOptions) {
  const p = await branchedProject(options)
  const { path: mergeRequest, body } = await openMergeRequest(p, p.developer)
  return { ...p, mergeRequest, body, path: `${mergeRequest}/notes` }
}

const countFor = async (who: Awaited<ReturnType<typeof opened>>['owner'], at: string) =>
  (await who.get(at)).body.user_notes_count

describe('Note', () => {
  test('has every field of the resource; imported and imported_from are not present', async () => {
    const p = await opened()
    const { status, body } = await p.reporter.post(p.path, { body: 'Me *too*' })
    expect(status).toBe(201)
    const { body: user } = await p.reporter.get('/user')
    expect(body).toEqual({
      id: expect.any(Number),
      type: null,
      body: 'Me *too*',
      attachment: null,
      author: {
        id: p.reporter.id,
        username: p.reporter.username,
        name: p.reporter.username,
        email: user.email,
        public_email: null,
        state: 'active',
        locked: false,
        avatar_url: null,
        web_url: `${w.url}/${p.reporter.username}`,
        created_at: user.created_at,
      },
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.created_at,
      system: false,
      noteable_id: p.body.id,
      noteable_type: 'MergeRequest',
      noteable_iid: 1,
      project_id: p.id,
      resolvable: false,
      confidential: false,
      internal: false,
      commands_changes: {},
    })
    expect((await p.reporter.get(`${p.path}/${body.id}`)).body).toEqual(body)
    expect((await p.reporter.get(p.path)).body).toEqual([body])
  })

  test('system: true for notes of the system, which nobody changes or deletes', async () => {
    const p = await opened()
    await p.developer.put(p.mergeRequest, { title: 'Other' })
    const [note] = (await p.reporter.get(p.path)).body
    expect(note).toMatchObject({ system: true, resolvable: false, body: expect.stringContaining('title') })
    for (const who of [p.owner, p.admin]) {
      expect((await who.put(`${p.path}/${note.id}`, { body: 'x' })).status).toBe(403)
      expect((await who.delete(`${p.path}/${note.id}`)).status).toBe(403)
    }
  })

  test('a body of only an emoji reaction: the answer is the emoji', async () => {
    const p = await opened()
    const { status, body } = await p.reporter.post(p.path, { body: ':rocket:' })
    expect([status, body]).toMatchObject([
      201,
      { name: 'rocket', awardable_type: 'MergeRequest', awardable_id: p.body.id },
    ])
    expect(ids(await p.reporter.get(p.path))).toEqual([])
  })
})

describe('Path prefixes and their id parameter', () => {
  test('merge_request_iid is the number in the project, else 404 MergeRequest Not Found', async () => {
    const p = await opened()
    for (const number of [2, p.body.id + 1_000_000]) {
      const path = `/projects/${p.id}/merge_requests/${number}/notes`
      const answers = [
        await p.owner.get(path),
        await p.owner.get(`${path}/1`),
        await p.owner.post(path, { body: 'x' }),
        await p.owner.put(`${path}/1`, { body: 'x' }),
        await p.owner.delete(`${path}/1`),
      ]
      for (const { status, body } of answers)
        expect([status, body]).toEqual([404, { message: '404 MergeRequest Not Found' }])
    }
    const { status, body } = await p.owner.get(`/projects/${p.id}/merge_requests/x/notes`)
    expect([status, body.error]).toEqual([400, 'merge_request_iid is invalid'])
  })

  test('note_id: 404 Note Not Found for a missing one and for one of another merge request', async () => {
    const p = await opened()
    const other = await openMergeRequest(p, p.developer, { source_branch: 'clash' })
    const { body: note } = await p.reporter.post(p.path, { body: 'x' })
    for (const path of [`${p.path}/999999999`, `${other.path}/notes/${note.id}`]) {
      const message = '404 Note Not Found'
      expect((await p.owner.get(path)).body).toEqual({ message })
      expect((await p.owner.put(path, { body: 'x' })).body).toEqual({ message })
      expect((await p.owner.delete(path)).body).toEqual({ message })
    }
  })

  test('the project by id or URL-encoded path', async () => {
    const p = await opened()
    await p.reporter.post(p.path, { body: 'x' })
    const { status, body } = await p.reporter.get(
      `/projects/${encodeURIComponent(p.fullPath)}/merge_requests/1/notes`,
    )
    expect([status, body.length]).toEqual([200, 1])
  })
})

describe('List parameters', () => {
  test('sort and order_by: created_at desc by default; activity_filter is not taken', async () => {
    const p = await opened()
    const at = (day: number) => w.clock.hold(`2030-01-0${day}T00:00:00.000Z`)
    at(1)
    const { body: first } = await p.reporter.post(p.path, { body: 'first' })
    at(2)
    await p.reporter.post(p.path, { body: 'second' })
    at(3)
    await p.reporter.put(`${p.path}/${first.id}`, { body: 'changed' })
    const list = async (query: string) => bodies(await p.reporter.get(`${p.path}${query}`))
    expect(await list('')).toEqual(['second', 'changed'])
    expect(await list('?sort=asc')).toEqual(['changed', 'second'])
    expect(await list('?order_by=created_at&sort=desc')).toEqual(['second', 'changed'])
    expect(await list('?order_by=updated_at')).toEqual(['changed', 'second'])
    expect(await list('?order_by=updated_at&sort=asc')).toEqual(['second', 'changed'])
    expect(await list('?activity_filter=only_activity')).toEqual(['second', 'changed'])
    expect((await p.reporter.get(`${p.path}?sort=up`)).body.error).toBe('sort does not have a valid value')
    expect((await p.reporter.get(`${p.path}?order_by=id`)).status).toBe(400)
  })

  test('pages: with totals and links', async () => {
    const p = await opened()
    for (const body of ['one', 'two', 'three']) await p.reporter.post(p.path, { body })
    const page = await p.reporter.get(`${p.path}?sort=asc&per_page=2&page=2`)
    expect([bodies(page), page.headers.get('x-total'), page.headers.get('x-next-page')]).toEqual([
      ['three'],
      '3',
      '',
    ])
  })
})

describe('Create parameters', () => {
  test('body: required, up to 1,000,000 characters', async () => {
    const p = await opened()
    expect((await p.reporter.post(p.path, {})).body.error).toBe('body is missing')
    expect((await p.reporter.post(p.path, { body: ' ' })).body.error).toBe('body is empty')
    const body = 'x'.repeat(1_000_000)
    expect((await p.reporter.post(p.path, { body })).status).toBe(201)
    expect((await p.reporter.post(p.path, { body: `${body}x` })).status).toBe(400)
  })

  test('internal: false by default, seen by its author and from Planner up; confidential is not taken', async () => {
    const p = await opened({ visibility: 'public' })
    const { body: note } = await p.planner.post(p.path, { body: 'between us', internal: true })
    expect(note).toMatchObject({ internal: true, confidential: true })
    expect((await p.stranger.post(p.path, { body: 'x', internal: true })).status).toBe(403)
    expect((await p.reporter.post(p.path, { body: 'open', confidential: true })).body).toMatchObject({
      internal: false,
      confidential: false,
    })
    for (const who of [p.guest, p.stranger]) {
      const list = await who.get(p.path)
      expect([bodies(list), list.headers.get('x-total')]).toEqual([['open'], '1'])
      expect((await who.get(`${p.path}/${note.id}`)).body.message).toBe('404 Note Not Found')
      expect(await countFor(who, p.mergeRequest)).toBe(1)
    }
    for (const who of [p.planner, p.reporter, p.developer, p.owner, p.admin]) {
      expect((await who.get(p.path)).headers.get('x-total')).toBe('2')
      expect(await countFor(who, p.mergeRequest)).toBe(2)
    }
  })

  test('created_at: from administrators and owners, after 1970-01-01; from others it is ignored', async () => {
    const p = await opened()
    const created_at = '2001-02-03T04:05:06.000Z'
    for (const who of [p.owner, p.admin])
      expect((await who.post(p.path, { body: 'x', created_at })).body.created_at).toBe(created_at)
    const { body } = await p.maintainer.post(p.path, { body: 'x', created_at })
    expect(body.created_at > '2020').toBe(true)
    expect((await p.owner.post(p.path, { body: 'x', created_at: '1970-01-01T00:00:00Z' })).status).toBe(400)
  })

  test('merge_request_diff_head_sha: taken; without /merge it says nothing', async () => {
    const p = await opened()
    const answer = await p.reporter.post(p.path, { body: 'x', merge_request_diff_head_sha: 'stale' })
    expect([answer.status, answer.body.body]).toEqual([201, 'x'])
  })

  test('notes are not attached to specific lines: position is not taken', async () => {
    const p = await opened()
    const { base_sha, head_sha, start_sha } = p.body.diff_refs
    const position = { base_sha, head_sha, start_sha, position_type: 'text', new_path: 'a.txt', new_line: 2 }
    const { status, body } = await p.reporter.post(p.path, { body: 'x', position })
    expect([status, body]).toMatchObject([201, { type: null }])
    expect(body).not.toHaveProperty('position')
  })

  test('a locked discussion is for members only', async () => {
    const p = await opened({ visibility: 'public' })
    await p.developer.put(p.mergeRequest, { discussion_locked: true })
    expect((await p.stranger.post(p.path, { body: 'x' })).status).toBe(403)
    expect((await p.guest.post(p.path, { body: 'x' })).status).toBe(201)
  })
})

describe('Update parameters', () => {
  test('body: required', async () => {
    const p = await opened()
    const { body: note } = await p.reporter.post(p.path, { body: 'x' })
    const path = `${p.path}/${note.id}`
    expect((await p.reporter.put(path, {})).body).toEqual({
      message: '400 (Bad request) "body" not given',
      error: 'body is missing',
    })
    expect((await p.reporter.put(path, { confidential: true })).status).toBe(400)
    expect((await p.reporter.put(path, { body: 'y' })).body).toMatchObject({ id: note.id, body: 'y' })
  })

  test('confidential: deprecated, moves a note between the counts', async () => {
    const p = await opened({ visibility: 'public' })
    const { body: note } = await p.planner.post(p.path, { body: 'x' })
    const path = `${p.path}/${note.id}`
    const hidden = await p.planner.put(path, { body: 'x', confidential: true })
    expect(hidden.body).toMatchObject({ internal: true, confidential: true })
    expect([await countFor(p.stranger, p.mergeRequest), await countFor(p.owner, p.mergeRequest)]).toEqual([
      0, 1,
    ])
    expect((await p.planner.put(path, { body: 'x', confidential: false })).body.internal).toBe(false)
  })

  test('is for the author and from Maintainer up', async () => {
    const p = await opened({ visibility: 'public' })
    const { body: note } = await p.stranger.post(p.path, { body: 'x' })
    const path = `${p.path}/${note.id}`
    expect((await p.developer.put(path, { body: 'y' })).status).toBe(403)
    expect((await p.maintainer.put(path, { body: 'y' })).body.author.id).toBe(p.stranger.id)
    expect((await p.developer.delete(path)).status).toBe(403)
    expect((await p.stranger.delete(path)).status).toBe(204)
    expect(await countFor(p.owner, p.mergeRequest)).toBe(0)
  })
})
