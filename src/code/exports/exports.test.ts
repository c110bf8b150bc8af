import { existsSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import { sql } from 'kysely'
import { describe, expect, it, test } from 'vitest'
import { type ArchiveEntry, archiveOf, endOfImport, exportOf, importOf, projectFile } from '#test/archives.ts'
import { giveSample } from '#test/repositories.ts'
import { type Actor, unique, w } from '#test/world.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { forgetExports } from './export-project.ts'
import { until } from '#test/until.ts'

type Project = Awaited<ReturnType<typeof w.project>>

/** A project with something of everything that an archive holds. */
async function filled(): Promise<Project> {
  const project = await w.project()
  await giveSample(project)
  const { id, groupId, owner, namespaceId } = project
  const path = `/projects/${id}`
  await w.root.put(path, { description: 'All of it', topics: ['one', 'two'], squash_option: 'always' })
  await w.memberAtLeast(groupId, owner, 50)
  await owner.post(`${path}/labels`, { name: 'bug', color: 'red', description: 'A fault' })
  await owner.post(`/groups/${groupId}/labels`, { name: 'shared', color: 'blue' })
  await owner.post(`/groups/${groupId}/labels`, { name: 'unused', color: 'blue' })
  const milestone = await owner.post(`${path}/milestones`, { title: '1.0', due_date: '2030-01-01' })
  await owner.post(`${path}/badges`, { link_url: 'https://a.example/', image_url: 'https://a.example/b.svg' })
  await owner.post(`${path}/issues`, {
    title: 'First',
    description: 'Ask @root about \u2028 it',
    labels: 'bug,shared',
    milestone_id: milestone.body.id,
    weight: 3,
    due_date: '2030-02-03',
  })
  await owner.post(`${path}/issues`, { title: 'Second', confidential: true })
  await owner.put(`${path}/issues/2`, { state_event: 'close' })
  await owner.post(`${path}/issues/1/notes`, { body: 'Seen' })
  await owner.post(`${path}/issues/1/notes`, { body: 'Between us', internal: true })
  expect(namespaceId).toBeGreaterThan(0)
  return project
}

async function entriesOf(archive: Buffer): Promise<ReadonlyMap<string, string>> {
  const entries = await unpackTar(gunzipSync(archive))
  return new Map(entries.map(({ header, data }) => [header.name, Buffer.from(data ?? []).toString('utf8')]))
}

const lines = (text: string | undefined) =>
  (text ?? '')
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))

describe('exports', () => {
  it('are archives with the repository and what the project has', async () => {
    const { id, owner } = await filled()
    const entries = await entriesOf(await exportOf(owner, id))
    expect([...entries.keys()]).toEqual([
      'project.json',
      'labels.ndjson',
      'milestones.ndjson',
      'badges.ndjson',
      'issues.ndjson',
      'notes.ndjson',
      'boards.ndjson',
      'uploads.ndjson',
      'releases.ndjson',
      'pipelines.ndjson',
      'pipeline_schedules.ndjson',
      'repository.bundle',
    ])
    expect(JSON.parse(entries.get('project.json') ?? '')).toMatchObject({
      format: 1,
      description: 'All of it',
      visibility: 'private',
      default_branch: 'main',
      topics: ['one', 'two'],
      settings: { squash_option: 'always' },
    })
    expect(lines(entries.get('labels.ndjson'))).toMatchObject([{ name: 'bug' }, { name: 'shared' }])
    expect(lines(entries.get('issues.ndjson'))).toMatchObject([
      { iid: 1, labels: ['bug', 'shared'], milestone: '1.0', state: 'opened' },
      { iid: 2, confidential: true, state: 'closed' },
    ])
    expect(lines(entries.get('notes.ndjson'))).toMatchObject([
      { issue_iid: 1, body: 'Seen', internal: false },
      { issue_iid: 1, body: 'Between us', internal: true },
    ])
    expect(entries.get('repository.bundle')).toMatch(/^# v2 git bundle\n/)
  })

  it('are forgotten after a week', async () => {
    const { id, maintainer } = await w.project()
    await exportOf(maintainer, id)
    const finished_at = new Date(w.clock.now().getTime() - 8 * 86_400_000).toISOString()
    await w.db.updateTable('project_exports').set({ finished_at }).where('project_id', '=', id).execute()
    await w.write((tx) => enqueue(tx, forgetExports, {}))
    const path = `/projects/${id}/export`
    await until(async () => expect((await maintainer.get(path)).body.export_status).toBe('none'))
    expect((await maintainer.get(`${path}/download`)).status).toBe(404)
  })

  it('hold any number of issues and notes, each once', async () => {
    const { id, owner } = await w.project()
    await w.db
      .with('noteable', (q) =>
        q
          .insertInto('noteables')
          .columns(['kind', 'namespace_id', 'updated_at'])
          .expression(
            sql`select 'issue', p.project_namespace_id, now() from projects p, generate_series(1, 120) where p.id = ${id}`,
          )
          .returning('id'),
      )
      .insertInto('issues')
      .columns(['id', 'project_id', 'iid', 'title', 'author_id', 'created_at'])
      .expression(
        sql`select id, ${id}::bigint, row_number() over (order by id desc), 'Issue', ${owner.id}::bigint, now() from noteable`,
      )
      .execute()
    await sql`insert into notes (noteable_id, author_id, body, discussion_id, starts_discussion, created_at, updated_at)
      select i.id, ${owner.id}, i.iid || ' ' || n, decode(md5(i.iid || ' ' || n) || '01234567', 'hex'), true, now(), now()
      from issues i, generate_series(1, 2) n where i.project_id = ${id} order by n, random()`.execute(w.db)
    const archive = await exportOf(owner, id)
    const entries = await entriesOf(archive)
    expect(lines(entries.get('issues.ndjson'))).toHaveLength(120)
    const bodies = lines(entries.get('notes.ndjson')).map((one) => JSON.stringify(one))
    expect(new Set(bodies).size).toBe(240)
    const made = await importOf(owner, archive)
    expect(await endOfImport(owner, made)).toMatchObject({ import_status: 'finished' })
    const { headers } = await owner.get(`/projects/${made.body.id}/issues?per_page=1`)
    expect(headers.get('x-total')).toBe('120')
    const { body } = await owner.get(`/projects/${made.body.id}/issues/77`)
    expect(body.user_notes_count).toBe(2)
  })

  it('tell how far they are', async () => {
    const { id, maintainer, developer, fullPath } = await w.project()
    const path = `/projects/${id}/export`
    const none = await maintainer.get(path)
    expect([none.status, none.body.export_status, '_links' in none.body]).toEqual([200, 'none', false])
    expect((await maintainer.get(`${path}/download`)).status).toBe(404)
    expect((await developer.post(path)).status).toBe(403)
    expect((await developer.get(path)).status).toBe(403)
    const archive = await exportOf(maintainer, id)
    const { body } = await maintainer.get(path)
    expect(body).toMatchObject({
      id,
      path_with_namespace: fullPath,
      export_status: 'finished',
      _links: { api_url: `${w.url}/api/v4/projects/${id}/export/download` },
    })
    expect((await entriesOf(archive)).has('repository.bundle')).toBe(false)
    const head = await maintainer.head(`${path}/download`)
    expect(head.headers.get('content-length')).toBe(String(archive.length))
    expect(head.headers.get('content-disposition')).toMatch(
      /^attachment; filename="project-\d+_export.tar.gz"$/,
    )
    expect((await developer.get(`${path}/download`)).status).toBe(403)
    const again = await maintainer.post(path, { description: 'Another' })
    expect(again.status).toBe(202)
    expect((await maintainer.get(path)).body.export_status).toMatch(/^(regeneration_in_progress|finished)$/)
    const sent = await maintainer.post(path, { upload: { url: 'https://a.example/' } })
    expect([sent.status, sent.body.message]).toEqual([
      400,
      '400 Bad request - url: exports are not sent to other servers yet',
    ])
  })
})

describe('imports of exports', () => {
  it('make a project with the same repository, issues, labels, milestones and badges', async () => {
    const project = await filled()
    const archive = await exportOf(project.owner, project.id)
    const by = await w.user()
    const made = await importOf(by, archive, { name: 'Read again' })
    expect(made.body).toMatchObject({
      name: 'Read again',
      import_type: 'gitlab_project',
      import_status: expect.stringMatching(/^(scheduled|started|finished)$/),
      failed_relations: [],
    })
    expect(await endOfImport(by, made)).toMatchObject({ import_status: 'finished', import_error: null })
    const path = `/projects/${made.body.id}`
    expect((await by.get(path)).body).toMatchObject({
      description: 'All of it',
      visibility: 'private',
      default_branch: 'main',
      topics: ['one', 'two'],
      squash_option: 'always',
      open_issues_count: 1,
      import_status: 'finished',
      import_type: 'gitlab_project',
    })
    const commits = await by.get(`${path}/repository/commits/main`)
    expect(commits.body.id).toBe(
      (await project.owner.get(`/projects/${project.id}/repository/commits/main`)).body.id,
    )
    expect((await by.get(`${path}/repository/tags`)).body).toMatchObject([{ name: 'signed' }])
    expect((await by.get(`${path}/labels`)).body).toMatchObject([
      { name: 'bug', color: '#ff0000', description: 'A fault' },
      { name: 'shared' },
    ])
    expect((await by.get(`${path}/milestones`)).body).toMatchObject([
      { iid: 1, title: '1.0', due_date: '2030-01-01' },
    ])
    expect((await by.get(`${path}/badges`)).body).toMatchObject([{ image_url: 'https://a.example/b.svg' }])
    const issues = await by.get(`${path}/issues?sort=asc`)
    expect(issues.body).toMatchObject([
      {
        iid: 1,
        title: 'First',
        labels: ['bug', 'shared'],
        milestone: { title: '1.0' },
        weight: 3,
        due_date: '2030-02-03',
        author: { id: by.id },
        user_notes_count: 2,
        state: 'opened',
      },
      { iid: 2, state: 'closed', confidential: true },
    ])
    expect(issues.body[0].description).toMatch(
      /^_Written by .+ on \d{4}-\d\d-\d\d_\n\nAsk @root about \u2028 it$/,
    )
    const notes = await by.get(`${path}/issues/1/notes?sort=asc`)
    expect(notes.body).toMatchObject([
      { internal: false },
      { internal: true, body: expect.stringMatching(/Between us$/) },
    ])
    expect((await by.post(`${path}/issues`, { title: 'Next' })).body.iid).toBe(3)
    const row = await w.db
      .selectFrom('project_imports')
      .select('file_id')
      .where('project_id', '=', made.body.id)
      .executeTakeFirstOrThrow()
    expect(row.file_id).toBeNull()
  })

  it('go into the namespace that is named, in three ways', async () => {
    const archive = await archiveOf()
    const group = await w.group()
    const { owner } = group
    for (const named of [
      { namespace: group.fullPath },
      { namespace: String(group.id) },
      { namespace_id: String(group.id) },
      { namespace_path: group.fullPath },
    ]) {
      const made = await importOf(owner, archive, named)
      expect(made.body.path_with_namespace).toMatch(new RegExp(`^${group.fullPath}/`))
    }
    const own = await importOf(owner, archive)
    expect(own.body.path_with_namespace).toMatch(new RegExp(`^${owner.username}/`))
    expect((await importOf(group.guest, archive, { namespace_id: String(group.id) })).status).toBe(403)
    expect((await importOf(await w.user(), archive, { namespace_path: group.fullPath })).status).toBe(404)
  })

  it('obey what the request says instead, and the limits of the place', async () => {
    const archive = await archiveOf({
      name: 'project.json',
      body: JSON.stringify({
        ...projectFile,
        visibility: 'public',
        settings: { merge_method: 'ff', issues_access_level: 'nonsense', unknown: 1, squash_option: 'never' },
      }),
    })
    const { owner, id } = await w.group({ visibility: 'private' })
    const made = await importOf(owner, archive, {
      namespace_id: String(id),
      'override_params[description]': 'Mine',
      'override_params[squash_option]': 'always',
    })
    const { body } = await owner.get(`/projects/${made.body.id}`)
    expect(body).toMatchObject({
      visibility: 'private',
      description: 'Mine',
      merge_method: 'ff',
      squash_option: 'always',
      issues_access_level: 'enabled',
    })
    const open = await importOf(owner, archive, {
      namespace_id: String(id),
      'override_params[visibility]': 'public',
    })
    expect(open.status).toBe(400)
    const over = await importOf(owner, archive, { overwrite: 'true' })
    expect([over.status, over.body.message]).toEqual([
      400,
      '400 Bad request - overwrite: a project that exists is not replaced',
    ])
    const again = await importOf(owner, archive, { namespace_id: String(id), path: made.body.path })
    expect([again.status, again.body.message.path]).toEqual([400, ['has already been taken']])
  })

  it('use labels and milestones of the groups above', async () => {
    const { owner, id } = await w.group()
    await owner.post(`/groups/${id}/labels`, { name: 'bug', color: 'blue' })
    await owner.post(`/groups/${id}/milestones`, { title: '1.0' })
    const archive = await archiveOf(...labelled)
    const made = await importOf(owner, archive, { namespace_id: String(id) })
    expect(await endOfImport(owner, made)).toMatchObject({ import_status: 'finished' })
    const path = `/projects/${made.body.id}`
    expect((await owner.get(`${path}/labels?include_ancestor_groups=false`)).body).toEqual([])
    expect((await owner.get(`${path}/issues`)).body).toMatchObject([
      { labels: ['bug'], milestone: { title: '1.0', group_id: id } },
    ])
  })
})

const issue = {
  iid: 7,
  title: 'Imported',
  description: null,
  state: 'opened',
  issue_type: 'issue',
  confidential: false,
  discussion_locked: null,
  due_date: null,
  weight: null,
  milestone: null,
  labels: [],
  author: 'Ada',
  created_at: '2020-01-01T00:00:00.000Z',
  closed_at: null,
}
const file = (name: string, ...rows: readonly unknown[]): ArchiveEntry => ({
  name: `${name}.ndjson`,
  body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
})
const labelled = [
  file('labels', { name: 'bug', color: '#ff0000', description: null, archived: false }),
  file('milestones', {
    iid: 1,
    title: '1.0',
    description: null,
    state: 'active',
    start_date: null,
    due_date: null,
    created_at: '2020-01-01T00:00:00.000Z',
  }),
  file('issues', { ...issue, labels: ['bug', 'bug', 'missing'], milestone: '1.0' }),
]

describe('hostile archives', () => {
  const refusing = async (archive: Buffer<ArrayBuffer>, by: Actor = w.root) => {
    const { status, body } = await importOf(by, archive)
    return [status, body.message]
  }

  test('that are no archives are refused at once', async () => {
    const damaged = [400, '400 Bad request - file: The archive is damaged']
    const other = [400, '400 Bad request - file: The archive is not an export of a project']
    expect(await refusing(Buffer.from('no archive'))).toEqual(damaged)
    expect(await refusing(Buffer.from((await archiveOf()).subarray(0, 60)))).toEqual(damaged)
    const last = await archiveOf(file('issues', issue), { name: 'project.json', body: '{}' })
    expect(await refusing(last)).toEqual(other)
    expect(
      await refusing(await archiveOf({ name: 'project.json', linkname: '/etc/passwd', type: 'symlink' })),
    ).toEqual(other)
    expect(
      await refusing(
        await archiveOf({ name: './project.json', body: '{}' }, { name: 'project.json', body: '[' }),
      ),
    ).toEqual(other)
    expect(await refusing(await archiveOf({ name: 'project.json', body: '[' }))).toEqual([
      400,
      '400 Bad request - file: The archive has no project.json that can be read',
    ])
    expect(await refusing(await archiveOf({ name: 'project.json', body: '{"format":2}' }))).toEqual([
      400,
      '400 Bad request - file: The project.json of the archive is not as it should be',
    ])
    expect(
      await refusing(await archiveOf({ name: 'project.json', body: Buffer.alloc(3 * 1024 * 1024, ' ') })),
    ).toEqual([400, '400 Bad request - file: project.json is too large'])
  })

  test('with long headers are not read to their end', async () => {
    const pax = { comment: 'x'.repeat(2 * 1024 * 1024) }
    const large = 'The archive is too large'
    const first = await archiveOf({ name: 'project.json', body: '{}', pax })
    expect(await refusing(first)).toEqual([400, `400 Bad request - file: ${large}`])
    const made = await importOf(w.root, await archiveOf({ name: 'x', pax }))
    expect(await endOfImport(w.root, made)).toMatchObject({ import_status: 'failed', import_error: large })
  })

  test('with large files are read, those that nobody knows included', async () => {
    const note = { issue_iid: 7, body: 'x'.repeat(900_000), internal: false, author: 'A' }
    const notes = Array.from({ length: 5 }, () => ({ ...note, created_at: issue.created_at }))
    const unknown = { name: 'later.ndjson', body: Buffer.alloc(5 * 1024 * 1024) }
    const archive = await archiveOf(unknown, file('issues', issue), file('notes', ...notes))
    const made = await importOf(w.root, archive)
    expect(await endOfImport(w.root, made)).toMatchObject({ import_error: null })
    const path = `/projects/${made.body.id}/issues/7`
    expect((await w.root.get(path)).body.user_notes_count).toBe(5)
  })

  test('that name a repository of this machine in place of a bundle do not get it', async () => {
    const { folder } = await giveSample(await w.project())
    const by = await w.user()
    for (const body of [`gitdir: ${folder}\n`, `# v2 git bundle\ngitdir: ${folder}\n`]) {
      const made = await importOf(by, await archiveOf({ name: 'repository.bundle', body }))
      expect((await endOfImport(by, made)).import_error).toBe('The repository in the archive is damaged')
      expect((await by.get(`/projects/${made.body.id}`)).body.empty_repo).toBe(true)
    }
  })

  test('with paths that lead elsewhere write nothing there', async () => {
    const outside = unique('/tmp/forgelet-escaped')
    const archive = await archiveOf(
      { name: `../../../../../..${outside}`, body: 'x' },
      { name: outside, body: 'x' },
      { name: 'issues.ndjson', linkname: '/etc/passwd', type: 'symlink' },
      { name: 'repository.bundle', type: 'directory' },
      file('labels', { name: 'bug', color: '#ff0000', description: null, archived: false }),
    )
    const made = await importOf(w.root, archive)
    expect(await endOfImport(w.root, made)).toMatchObject({ import_status: 'finished' })
    expect(existsSync(outside)).toBe(false)
    expect((await w.root.get(`/projects/${made.body.id}/issues`)).body).toEqual([])
    expect((await w.root.get(`/projects/${made.body.id}/labels`)).body).toMatchObject([{ name: 'bug' }])
  })

  test.each<[string, readonly ArchiveEntry[], RegExp]>([
    ['a file twice', [file('labels'), file('labels')], /labels.ndjson twice/],
    ['lines that are no JSON', [{ name: 'issues.ndjson', body: '{\n' }], /issues that cannot be read/],
    ['rows of another kind', [file('issues', { ...issue, iid: '7' })], /issues that cannot be read/],
    ['rows that are no objects', [file('issues', null)], /issues that cannot be read/],
    ['a number twice', [file('issues', issue, issue)], /number twice/],
    ['an impossible number', [file('issues', { ...issue, iid: 0 })], /issues that cannot be read/],
    [
      'an impossible day',
      [file('issues', { ...issue, due_date: '2020-13-45' })],
      /values that cannot be read/,
    ],
    [
      'words for a time',
      [file('issues', { ...issue, created_at: 'infinity' })],
      /issues that cannot be read/,
    ],
    ['a zero byte', [file('issues', { ...issue, title: 'a\0b' })], /values that cannot be read/],
    ['a blank title', [file('issues', { ...issue, title: ' ' })], /server refuses/],
    [
      'a badge that runs a script',
      [file('badges', { name: null, link_url: 'javascript:1', image_url: 'x:y' })],
      /server refuses/,
    ],
    [
      'a color that is none',
      [file('labels', { name: 'a', color: 'url(x)', description: null, archived: false })],
      /server refuses/,
    ],
    [
      'no repository',
      [{ name: 'repository.bundle', body: 'x'.repeat(100) }],
      /repository in the archive is damaged/,
    ],
    ['too many files', Array.from({ length: 101 }, (_, index) => ({ name: `x${index}` })), /too many files/],
  ])('with %s come to nothing', async (_, entries, because) => {
    const by = await w.user()
    const made = await importOf(by, await archiveOf(file('notes'), ...entries))
    const end = await endOfImport(by, made)
    expect(end.import_status).toBe('failed')
    expect(end.import_error).toMatch(because)
    const { body } = await by.get(`/projects/${made.body.id}`)
    expect(body).toMatchObject({ open_issues_count: 0, empty_repo: true })
    expect((await by.get(`/projects/${made.body.id}/labels`)).body).toEqual([])
  })

  test('mention nobody and make nobody an author', async () => {
    const by = await w.user()
    const note = {
      issue_iid: 7,
      body: 'Hello',
      internal: false,
      author: '@root [x](y)',
      created_at: issue.created_at,
    }
    const archive = await archiveOf(
      file('issues', { ...issue, author: '*@all*' }),
      file('notes', note, { ...note, issue_iid: 8 }),
    )
    const made = await importOf(by, archive)
    expect(await endOfImport(by, made)).toMatchObject({ import_status: 'finished' })
    const path = `/projects/${made.body.id}/issues`
    const { body } = await by.get(`${path}/7`)
    expect([body.author.id, body.description]).toEqual([by.id, '_Written by all on 2020-01-01_\n\n'])
    expect((await by.get(`${path}/7/notes`)).body).toMatchObject([
      { body: '_Written by root xy on 2020-01-01_\n\nHello', author: { id: by.id } },
    ])
  })
})
