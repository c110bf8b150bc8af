import { describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { commits, importInto } from '#test/repositories.ts'
import { type ContainerOptions, w } from '#test/world.ts'

/** A project whose second commit adds, changes and removes lines. */
async function withCommits(options: ContainerOptions = {}) {
  const project = await w.project(options)
  const stream = commits(
    { files: { 'a.txt': 'one\ntwo\nthree\n', old: 'x\ny\nz\nu\n' } },
    { files: { 'a.txt': 'one\n2\nthree\nfour\n', old: null, renamed: 'x\ny\nz\nv\n' } },
  )
  const repository = await importInto(project, stream)
  const sha = repository.row.last_commit_sha ?? ''
  const list = `/projects/${project.id}/repository/commits`
  const [, first] = (await project.reporter.get(list)).body
  return { ...project, repository, sha, base: first.id as string, list, path: `${list}/${sha}` }
}

describe('comments on a commit', () => {
  test('are on the commit, or on a line of its diff', async () => {
    const p = await withCommits()
    const made = await p.reporter.post(`${p.list}/main/comments`, { note: 'Why?' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      note: 'Why?',
      path: null,
      line: null,
      line_type: null,
      author: expect.objectContaining({ id: p.reporter.id, username: p.reporter.username }),
      created_at: expect.any(String),
    })
    const at = async (line: number, line_type?: string) => {
      const { body } = await p.developer.post(`${p.path}/comments`, {
        note: `line ${line}`,
        path: 'a.txt',
        line,
        line_type,
      })
      return [body.path, body.line, body.line_type]
    }
    expect(await at(2)).toEqual(['a.txt', 2, 'new'])
    expect(await at(2, 'old')).toEqual(['a.txt', 2, 'old'])
    // A line that did not change, and one that is not there.
    expect(await at(1)).toEqual([null, null, null])
    expect(await at(99)).toEqual([null, null, null])
    const { body, headers } = await p.reporter.get(`${p.path}/comments`)
    expect(body.map(({ note }: { note: string }) => note)).toEqual([
      'Why?',
      'line 2',
      'line 2',
      'line 1',
      'line 99',
    ])
    expect(headers.get('x-total')).toBe('5')
    expect((await p.reporter.get(`${p.list}/${p.base}/comments`)).body).toEqual([])
    const facts = await w.db
      .selectFrom('facts')
      .select(['actor_id', 'details'])
      .where('namespace_id', '=', p.namespaceId)
      .where('name', '=', 'note created')
      .execute()
    expect(facts).toHaveLength(5)
    const { id } = await w.db
      .selectFrom('noted_commits')
      .select('id')
      .where('sha', '=', p.sha)
      .executeTakeFirstOrThrow()
    const details = { noteable_type: 'Commit', noteable_id: id, internal: false }
    expect(facts).toContainEqual({ actor_id: p.reporter.id, details })
  })

  test('are possible however long the message is, and whatever character stands at its limit', async () => {
    const p = await withCommits()
    const whole = 'a'.repeat(9_999)
    for (const [index, commit_message] of [`${whole}😀b`, `x\n\n${whole.slice(3)}😀b`].entries()) {
      const { body: commit } = await p.owner.post(p.list, {
        branch: 'main',
        commit_message,
        actions: [{ action: 'create', file_path: `f${index}`, content: 'x' }],
      })
      const { status, body } = await p.reporter.post(`${p.list}/${commit.id}/comments`, { note: 'Long' })
      expect([status, body.note]).toEqual([201, 'Long'])
    }
  })

  test('are refused where they cannot be', async () => {
    const p = await withCommits()
    const refused = async (json: object, sha = p.sha) => {
      const { status, body } = await p.reporter.post(`${p.list}/${sha}/comments`, json)
      return [status, body.error ?? body.message]
    }
    expect(await refused({})).toEqual([400, 'note is missing'])
    expect(await refused({ note: 'x', path: 'a.txt' })).toEqual([
      400,
      'path, line provide all or none of parameters',
    ])
    expect((await refused({ note: 'x', path: 'a.txt', line: 1, line_type: 'x' }))[0]).toBe(400)
    expect(await refused({ note: 'x' }, '1'.repeat(40))).toEqual([404, '404 Commit Not Found'])
    const empty = await w.project()
    const none = await empty.developer.post(`/projects/${empty.id}/repository/commits/main/comments`, {
      note: 'x',
    })
    expect([none.status, none.body.message]).toEqual([404, '404 Commit Not Found'])
  })

  test('are written once, however many write the first one', async () => {
    const p = await withCommits()
    const all = await Promise.all(
      [p.reporter, p.developer, p.owner, p.maintainer].map((by) =>
        by.post(`${p.path}/comments`, { note: 'First' }),
      ),
    )
    expect(all.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect((await p.reporter.get(`${p.path}/comments`)).body).toHaveLength(4)
  })
})

describe('discussions on a commit', () => {
  test('are started, replied to, changed and deleted', async () => {
    const p = await withCommits()
    const started = await p.reporter.post(`${p.path}/discussions`, { body: 'Is that so?' })
    expect([started.status, started.body.individual_note]).toEqual([201, false])
    expect(started.body.notes[0]).toMatchObject({
      type: 'DiscussionNote',
      noteable_type: 'Commit',
      noteable_id: null,
      noteable_iid: null,
      project_id: p.id,
      system: false,
      resolvable: false,
    })
    for (const absent of ['resolved', 'commit_id', 'position'])
      expect(started.body.notes[0]).not.toHaveProperty(absent)
    const path = `${p.path}/discussions/${started.body.id}`
    const reply = await p.developer.post(`${path}/notes`, { body: 'Yes' })
    expect([reply.status, reply.body.type]).toEqual([201, 'DiscussionNote'])
    const note = `${path}/notes/${reply.body.id}`
    expect((await p.developer.put(note, { body: 'It is' })).body.body).toBe('It is')
    expect((await p.reporter.put(note, { body: 'No' })).status).toBe(403)
    expect((await p.reporter.get(note)).body.body).toBe('It is')
    expect((await p.reporter.get(`${path}/notes`)).body).toHaveLength(2)
    expect((await p.maintainer.delete(note)).status).toBe(204)
    expect((await p.reporter.get(path)).body.notes).toHaveLength(1)
    await p.reporter.post(`${p.path}/comments`, { note: 'Alone' })
    const { body } = await p.reporter.get(`${p.path}/discussions`)
    expect(body.map(({ individual_note }: { individual_note: boolean }) => individual_note)).toEqual([
      false,
      true,
    ])
    for (const missing of [`${p.list}/${p.base}/discussions/${started.body.id}`, `${path}0`]) {
      expect((await p.reporter.get(missing)).body).toEqual({ message: '404 Discussion Not Found' })
    }
    expect(
      (await p.reporter.post(`${p.list}/${p.base}/discussions/${started.body.id}/notes`, { body: 'x' }))
        .status,
    ).toBe(404)
  })

  test('stand on a line of the diff', async () => {
    const p = await withCommits()
    const position = {
      base_sha: p.base,
      start_sha: p.base,
      head_sha: p.sha,
      position_type: 'text',
      new_path: 'renamed',
      new_line: 4,
    }
    const { status, body } = await p.reporter.post(`${p.path}/discussions`, { body: 'v?', position })
    expect([status, body.notes[0].type]).toEqual([201, 'DiffNote'])
    const stored = { ...position, old_path: 'old', old_line: null, line_range: null }
    expect(body.notes[0].position).toEqual(stored)
    expect(body.notes[0]).not.toHaveProperty('commit_id')
    const path = `${p.path}/discussions/${body.id}`
    const reply = await p.developer.post(`${path}/notes`, { body: 'u!' })
    expect(reply.body).toMatchObject({ type: 'DiffNote', position: stored })
    expect((await p.reporter.put(`${path}/notes/${body.notes[0].id}`, { body: 'w?' })).body.position).toEqual(
      stored,
    )
    expect((await p.reporter.get(`${p.path}/comments`)).body).toMatchObject([
      { note: 'w?', path: 'renamed', line: 4, line_type: 'new' },
      { note: 'u!', path: 'renamed', line: 4, line_type: 'new' },
    ])
    const refused = async (change: object) => {
      const answer = await p.reporter.post(`${p.path}/discussions`, {
        body: 'x',
        position: { ...position, ...change },
      })
      return [answer.status, answer.body.message]
    }
    const unknown = { position: ['names a commit that the repository does not have'] }
    const noLine = `400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}`
    expect(await refused({ head_sha: '1'.repeat(40) })).toEqual([400, unknown])
    // Nothing differs there; and an unchanged line by one number alone.
    expect(await refused({ head_sha: p.base, base_sha: p.base })).toEqual([400, noLine])
    expect(await refused({ new_line: 3 })).toEqual([400, noLine])
    expect(await refused({ new_path: 'nothing' })).toEqual([400, noLine])
    expect(await refused({ new_line: 40 })).toEqual([400, noLine])
    expect(await refused({ new_line: null })).toEqual([400, noLine])
    expect((await refused({ position_type: 'file', new_line: null }))[0]).toBe(201)
  })

  test('mention people, and issues for those who may read the code', async () => {
    const p = await withCommits({ visibility: 'public' })
    const other = await w.project({ visibility: 'public' })
    for (const project of [p, other])
      await project.owner.post(`/projects/${project.id}/issues`, { title: 'It' })
    const body = `@${p.guest.username}: see #1 and ${other.fullPath}#1`
    await p.reporter.post(`${p.path}/discussions`, { body })
    await p.reporter.post(`${p.path}/comments`, { note: 'Once more: #1' })
    const told = async (id: number, by = w.root) =>
      (await by.get(`/projects/${id}/issues/1/notes`)).body.map((note: { body: string }) => note.body)
    expect(await told(p.id)).toEqual([`mentioned in commit ${p.sha}`])
    expect(await told(other.id)).toEqual([`mentioned in commit ${p.fullPath}@${p.sha}`])
    expect(await told(other.id, other.stranger)).toEqual([`mentioned in commit ${p.fullPath}@${p.sha}`])
    await p.owner.put(`/projects/${p.id}`, { repository_access_level: 'private' })
    expect(await told(other.id, other.stranger)).toEqual([])
    expect(await told(p.id, p.reporter)).toHaveLength(1)
    const named = await w.db
      .selectFrom('user_mentions')
      .select('user_id')
      .where('user_id', '=', p.guest.id)
      .execute()
    expect(named).toHaveLength(1)
  })

  test('are closed with the repository, and to those who may not read it', async () => {
    const p = await withCommits({ visibility: 'public' })
    await p.reporter.post(`${p.path}/comments`, { note: 'Hear' })
    const read = async (by: typeof p.anonymous, part: string) => (await by.get(`${p.path}/${part}`)).status
    expect([await read(p.anonymous, 'comments'), await read(p.anonymous, 'discussions')]).toEqual([200, 401])
    await p.owner.put(`/projects/${p.id}`, { repository_access_level: 'private' })
    for (const part of ['comments', 'discussions']) {
      expect([await read(p.stranger, part), await read(p.anonymous, part)]).toEqual([403, 401])
      expect(await read(p.guest, part)).toBe(200)
    }
    await p.owner.put(`/projects/${p.id}`, { repository_access_level: 'disabled' })
    for (const by of [p.owner, p.reporter]) {
      for (const part of ['comments', 'discussions']) expect(await read(by, part)).toBe(403)
      expect((await by.post(`${p.path}/comments`, { note: 'x' })).status).toBe(403)
      expect((await by.post(`${p.path}/discussions`, { body: 'x' })).status).toBe(403)
    }
    const hidden = await withCommits()
    await w.member(hidden.namespaceId, p.stranger, levels.guest)
    expect((await p.stranger.get(`${hidden.path}/comments`)).status).toBe(403)
    expect((await w.anonymous.get(`${hidden.path}/comments`)).status).toBe(404)
  })
})

test('a commit with a note outlives its branch, by a reference that nobody sees', async () => {
  const p = await withCommits()
  const { git } = p.repository
  await p.reporter.post(`${p.path}/comments`, { note: 'Keep it' })
  expect(
    (await p.owner.post(`/projects/${p.id}/repository/branches`, { branch: 'x', ref: p.base })).status,
  ).toBe(201)
  await git.capture(p.repository, ['update-ref', 'refs/heads/main', p.base])
  await git.capture(p.repository, ['reflog', 'expire', '--expire=now', '--all'])
  await git.capture(p.repository, ['gc', '--prune=now', '--quiet'], { lane: 'keep' })
  git.readers.close()
  expect((await p.reporter.get(`${p.path}/comments`)).body).toMatchObject([{ note: 'Keep it' }])
  expect((await p.reporter.post(`${p.path}/comments`, { note: 'Still here' })).status).toBe(201)
  expect((await p.reporter.get(`${p.path}/refs`)).body).toEqual([])
  const refs = await git.text(p.repository, ['upload-pack', '--advertise-refs', p.repository.folder])
  expect(refs).toContain('refs/heads/x')
  expect(refs).not.toContain('keep-around')
})

test('a commit is not discussed for the first time while its repository is read-only', async () => {
  const p = await withCommits()
  await p.reporter.post(`${p.path}/comments`, { note: 'First' })
  const { id } = p.repository.row
  await w.db.updateTable('repositories').set({ read_only_because: 'move' }).where('id', '=', id).execute()
  expect((await p.reporter.post(`${p.path}/comments`, { note: 'Second' })).status).toBe(201)
  const refused = await p.reporter.post(`${p.list}/${p.base}/comments`, { note: 'First' })
  expect([refused.status, refused.body.message]).toEqual([
    503,
    '503 Service Unavailable - The repository is temporarily read-only. Please try again later.',
  ])
  expect((await p.reporter.get(`${p.list}/${p.base}/comments`)).body).toEqual([])
})

test('notes on commits go with their project', async () => {
  const p = await withCommits()
  await p.reporter.post(`${p.path}/comments`, { note: 'Gone soon' })
  const left = async () =>
    (await w.db.selectFrom('noted_commits').select('id').where('project_id', '=', p.id).execute()).length
  expect(await left()).toBe(1)
  await p.owner.delete(`/projects/${p.id}`)
  await expect.poll(left).toBe(0)
})
