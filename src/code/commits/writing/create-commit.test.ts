import { describe, expect, it } from 'vitest'
import type { Answer } from '#test/client.ts'
import { giveSample } from '#test/repositories.ts'
import { type Actor, type Place, unique, w } from '#test/world.ts'

type Project = Place & { readonly namespaceId: number }

async function sample() {
  const project = await w.project()
  const { row } = await giveSample(project)
  return { project, tip: row.last_commit_sha ?? '' }
}

const commit = (by: Actor, { id }: { readonly id: number }, json: object): Promise<Answer> =>
  by.post(`/projects/${id}/repository/commits`, { branch: 'main', commit_message: 'Change', ...json })

const create = (file_path: string, content = 'x') => ({ action: 'create', file_path, content })

async function files(project: Project, ref = 'main'): Promise<Record<string, string>> {
  const { body } = await project.developer.get(
    `/projects/${project.id}/repository/tree?recursive=true&ref=${encodeURIComponent(ref)}&per_page=100`,
  )
  const blobs = body.filter(({ type }: { type: string }) => type === 'blob')
  return Object.fromEntries(blobs.map(({ path, mode }: { path: string; mode: string }) => [path, mode]))
}

async function contentOf(project: Project, path: string, ref = 'main'): Promise<string> {
  const url = `/projects/${project.id}/repository/files/${encodeURIComponent(path)}/raw?ref=${ref}`
  return (await project.developer.get(url)).text
}

describe('POST /projects/:id/repository/commits', () => {
  it('makes a commit with every field', async () => {
    const { project, tip } = await sample()
    const { developer } = project
    const { status, body } = await commit(developer, project, {
      commit_message: 'Say it\n\nAt last.\n\nFixes: #1',
      actions: [create('docs/a.md', 'one\ntwo\n')],
    })
    const committer = { name: developer.username, email: `${developer.username}@example.com` }
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f]{40}$/),
        short_id: body.id.slice(0, 8),
        created_at: expect.stringMatching(/\+00:00$/),
        parent_ids: [tip],
        title: 'Say it',
        message: 'Say it\n\nAt last.\n\nFixes: #1',
        author_name: committer.name,
        author_email: committer.email,
        authored_date: body.created_at,
        committer_name: committer.name,
        committer_email: committer.email,
        committed_date: body.created_at,
        trailers: { Fixes: '#1' },
        extended_trailers: { Fixes: ['#1'] },
        web_url: `${w.url}/${project.fullPath}/-/commit/${body.id}`,
        stats: { additions: 2, deletions: 0, total: 2 },
        status: null,
        project_id: project.id,
        last_pipeline: null,
      },
    ])
    expect((await developer.get(`/projects/${project.id}/repository/commits/main`)).body.id).toBe(body.id)
  })

  it('carries out every kind of action, one after the other', async () => {
    const { project } = await sample()
    const { status } = await commit(project.developer, project, {
      stats: false,
      actions: [
        create('run.sh', '#!/bin/sh\n'),
        { action: 'chmod', file_path: 'run.sh', execute_filemode: true },
        {
          action: 'update',
          file_path: 'README.md',
          content: Buffer.from([0, 255]).toString('base64'),
          encoding: 'base64',
        },
        { action: 'move', file_path: 'lib/main.ts', previous_path: 'src/main.ts' },
        create('gone.txt'),
        { action: 'delete', file_path: 'gone.txt' },
        { ...create('über/日本 %20.txt', ''), execute_filemode: true },
        { action: 'update', file_path: 'run.sh', content: 'echo\n' },
      ],
    })
    expect(status).toBe(201)
    expect(await files(project)).toEqual({
      'README.md': '100644',
      'lib/main.ts': '100644',
      'run.sh': '100755',
      'über/日本 %20.txt': '100755',
    })
    expect(await contentOf(project, 'lib/main.ts')).toBe('export {}\n')
    expect(await contentOf(project, 'run.sh')).toBe('echo\n')
    const moved = await commit(project.developer, project, {
      actions: [{ action: 'move', file_path: 'b.ts', previous_path: 'lib/main.ts', content: 'new' }],
    })
    expect(moved.body.stats.total).toBe(2)
    expect(await contentOf(project, 'b.ts')).toBe('new')
  })

  it.each([
    [create('README.md'), 'A file with this name already exists'],
    [create('src'), 'A directory with this name already exists'],
    [create('README.md/x'), 'A file is in the way of README.md/x'],
    [{ action: 'update', file_path: 'x', content: '' }, "A file with this name doesn't exist"],
    [{ action: 'delete', file_path: 'src' }, "A file with this name doesn't exist"],
    [{ action: 'chmod', file_path: 'x', execute_filemode: true }, "A file with this name doesn't exist"],
    [{ action: 'move', file_path: 'y', previous_path: 'x' }, "A file with this name doesn't exist"],
    [
      { action: 'move', file_path: 'src/main.ts', previous_path: 'README.md' },
      'A file with this name already exists',
    ],
    [{ action: 'move', file_path: 'y' }, '400 (Bad request) "previous_path" not given'],
    [{ action: 'create', file_path: 'y' }, '400 (Bad request) "content" not given'],
    [create('../x'), '../x is not the path of a file'],
    [create('..\\x'), '..\\x is not the path of a file'],
    [create('a\\..\\..\\x'), 'a\\..\\..\\x is not the path of a file'],
    [
      { action: 'move', file_path: 'a/..\\x', previous_path: 'README.md' },
      'a/..\\x is not the path of a file',
    ],
    [
      create('cod\u202efdp.exe'),
      'The path of a file must not have characters that change the direction of text',
    ],
    [create('a//b'), 'a//b is not the path of a file'],
    [create('/'), '/ is not the path of a file'],
    [create('.git/config'), "Git refuses the commit: hasDotgit: contains '.git'"],
    [create('a/.GIT/hooks/x'), "Git refuses the commit: hasDotgit: contains '.git'"],
    [create('git~1'), "Git refuses the commit: hasDotgit: contains '.git'"],
    [{ ...create('x'), encoding: 'base64', content: 'a*b' }, { content: ['is not valid base64'] }],
    [{ action: 'burn', file_path: 'x' }, { 'actions[0][action]': ['does not have a valid value'] }],
  ])('refuses %j', async (action, message) => {
    const { project, tip } = (shared ??= await sample())
    const answer = await commit(project.developer, project, { actions: [create('fine'), action] })
    expect([answer.status, answer.body.message]).toEqual([400, withIndex(message)])
    expect((await project.developer.get(`/projects/${project.id}/repository/commits/main`)).body.id).toBe(tip)
  })

  it('refuses a commit without actions unless an empty one is allowed', async () => {
    const { project, tip } = await sample()
    const refused = await commit(project.developer, project, { actions: [] })
    expect([refused.status, refused.body.error]).toEqual([400, 'actions is empty'])
    expect((await commit(project.developer, project, {})).body.error).toBe('actions is missing')
    const allowed = await commit(project.developer, project, { actions: [], allow_empty: true })
    expect(allowed.body).toMatchObject({ parent_ids: [tip], stats: { total: 0 } })
    const many = await commit(project.developer, project, {
      actions: Array.from({ length: 1_001 }, (_, index) => create(`f${index}`)),
    })
    expect([many.status, many.body.error]).toEqual([400, 'actions has too many elements (maximum is 1000)'])
  })

  it('names another author when asked', async () => {
    const { project } = await sample()
    const { body } = await commit(project.developer, project, {
      actions: [create('a')],
      author_name: 'Ada <x>\nLovelace',
      author_email: 'ada@example.com',
    })
    expect(body).toMatchObject({
      author_name: 'Ada xLovelace',
      author_email: 'ada@example.com',
      committer_name: project.developer.username,
    })
  })

  it('keeps a file that somebody else has changed', async () => {
    const { project, tip } = await sample()
    const { developer } = project
    const update = (last_commit_id: string, content: string) =>
      commit(developer, project, {
        actions: [{ action: 'update', file_path: 'README.md', content, last_commit_id }],
      })
    const first = await update(tip, '1')
    expect(first.status).toBe(201)
    const late = await update(tip, '2')
    expect([late.status, late.body.message]).toEqual([
      400,
      'You are attempting to update a file that has changed since you started editing it.',
    ])
    expect((await update('f'.repeat(40), '2')).status).toBe(400)
    // A commit that changed other files does not matter.
    await commit(developer, project, { actions: [create('other')] })
    expect((await update(first.body.id, '2')).status).toBe(201)
    const gone = await commit(developer, project, {
      actions: [{ action: 'delete', file_path: 'README.md', last_commit_id: tip }],
    })
    expect(gone.status).toBe(400)
  })

  it('begins a new branch at another one, or at a commit', async () => {
    const { project, tip } = await sample()
    const { developer } = project
    const on = (json: object) => commit(developer, project, { actions: [create('new')], ...json })
    expect((await on({ branch: 'a', start_branch: 'main' })).body.parent_ids).toEqual([tip])
    const parent = (await developer.get(`/projects/${project.id}/repository/commits/main~1`)).body.id
    expect((await on({ branch: 'b', start_sha: parent })).body.parent_ids).toEqual([parent])
    const refused = async (json: object) => {
      const { status, body } = await on(json)
      return [status, body.message]
    }
    expect(await refused({ branch: 'c' })).toEqual([
      400,
      'You can only create or edit files when you are on a branch',
    ])
    expect(await refused({ branch: 'a', start_branch: 'main' })).toEqual([
      400,
      "A branch called 'a' already exists. Switch to that branch in order to make changes",
    ])
    expect(await refused({ branch: 'c', start_branch: 'x' })).toEqual([
      400,
      'You can only create or edit files when you are on a branch',
    ])
    expect(await refused({ branch: 'c', start_sha: 'main' })).toEqual([400, "Invalid start_sha 'main'"])
    const unknown = '1'.repeat(40)
    expect(await refused({ branch: 'c', start_sha: unknown })).toEqual([
      400,
      `Cannot find start_sha '${unknown}'`,
    ])
    expect((await on({ branch: 'c', start_sha: tip, start_branch: 'main' })).status).toBe(400)
    expect((await on({ branch: 'a b', start_branch: 'main' })).status).toBe(400)
    const anew = await on({ branch: 'a', start_sha: parent, force: true })
    expect(anew.body.parent_ids).toEqual([parent])
    expect((await on({ branch: 'main', start_branch: 'main' })).body.parent_ids).toEqual([tip])
  })

  it('begins at a commit of another project, and keeps its objects', async () => {
    const { project } = await sample()
    const other = await w.project()
    const { developer } = project
    await w.member(other.namespaceId, developer, 30)
    await other.maintainer.post(`/projects/${other.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Elsewhere',
      actions: [create('theirs.txt', 'theirs')],
    })
    // A former path of the other project leads to it.
    await other.owner.put(`/projects/${other.id}`, { path: unique('renamed') })
    const { status, body } = await commit(developer, project, {
      branch: 'taken',
      start_project: decodeURIComponent(other.encoded),
      start_branch: 'main',
      actions: [create('mine.txt')],
    })
    expect([status, body.title]).toEqual([201, 'Change'])
    await w.root.delete(`/projects/${other.id}`)
    expect(await files(project, 'taken')).toEqual({ 'mine.txt': '100644', 'theirs.txt': '100644' })
    expect(await contentOf(project, 'theirs.txt', 'taken')).toBe('theirs')
    const hidden = await w.project()
    await giveSample(hidden)
    const refused = await commit(developer, project, {
      branch: 'x',
      start_project: hidden.id,
      start_branch: 'main',
      actions: [create('a')],
    })
    expect(refused.status).toBe(404)
  })

  it('makes the first branch of an empty repository, which it protects', async () => {
    const project = await w.project()
    const refused = await commit(project.developer, project, { actions: [create('a')] })
    expect([refused.status, refused.body.message]).toEqual([
      403,
      '403 Forbidden - You are not allowed to push into this branch',
    ])
    const { status, body } = await commit(project.maintainer, project, {
      branch: 'trunk',
      actions: [create('a')],
    })
    expect([status, body.parent_ids]).toEqual([201, []])
    const shown = (await project.maintainer.get(`/projects/${project.id}`)).body
    expect([shown.default_branch, shown.empty_repo]).toEqual(['trunk', false])
    const later = await commit(project.developer, project, { branch: 'trunk', actions: [create('b')] })
    expect([later.status, later.body.message]).toEqual([
      403,
      '403 Forbidden - You are not allowed to push into this branch',
    ])
  })

  it('is recorded as a push', async () => {
    const { project, tip } = await sample()
    const { body } = await commit(project.developer, project, { actions: [create('a')] })
    const fact = await w.db
      .selectFrom('facts')
      .select(['details', 'actor_id'])
      .where('namespace_id', '=', project.namespaceId)
      .where('name', '=', 'references pushed')
      .executeTakeFirstOrThrow()
    expect(fact).toMatchObject({
      actor_id: project.developer.id,
      details: {
        action: 'pushed',
        ref: 'main',
        commit_from: tip,
        commit_to: body.id,
        commit_count: 1,
        commit_title: 'Change',
      },
    })
  })

  it('of two writers at once loses nothing: one wins, or the other is told', async () => {
    const { project } = await sample()
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        commit(project.developer, project, { actions: [create(`f${index}`)] }),
      ),
    )
    const won = answers.filter(({ status }) => status === 201)
    expect(won.length).toBeGreaterThan(0)
    for (const { status, body } of answers) {
      if (status === 201) continue
      expect([status, body.message]).toEqual([
        409,
        '409 Conflict - somebody else has changed it meanwhile; fetch first',
      ])
    }
    const there = Object.keys(await files(project)).filter((path) => path.startsWith('f'))
    expect(there).toHaveLength(won.length)
  })

  it('refuses more than the server takes of a push', async () => {
    const { project } = await sample()
    await w.root.put('/application/settings', { receive_max_input_size: 1 })
    try {
      const answer = await commit(project.developer, project, {
        actions: [create('large', 'x'.repeat(1024 * 1024 + 1))],
      })
      expect(answer.status).toBe(413)
    } finally {
      await w.root.put('/application/settings', { receive_max_input_size: 5_120 })
    }
  })
})

let shared: Awaited<ReturnType<typeof sample>> | undefined

/** The action in question is the second one. */
const withIndex = (message: unknown): unknown =>
  typeof message === 'object' && message !== null
    ? Object.fromEntries(
        Object.entries(message).map(([key, value]) => [key.replace('actions[0]', 'actions[1]'), value]),
      )
    : message
