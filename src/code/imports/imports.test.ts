import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commits } from '#test/repositories.ts'
import { sourceServer } from '#test/source-server.ts'
import { type Actor, unique, w } from '#test/world.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { scheduleImport } from './import-row.ts'
import { importRepository } from './import-repository.ts'
import { until } from '#test/until.ts'

const { repositories } = w.running.services

async function setting(json: object): Promise<void> {
  expect((await w.root.put('/application/settings', json)).status).toBe(200)
}

beforeAll(() => setting({ outbound_local_requests_whitelist: ['127.0.0.1'] }))
afterAll(() => setting({ outbound_local_requests_whitelist: [], max_import_size: 5_120 }))

const ask = (by: Actor, json: object) => by.post('/projects', { name: unique('imported'), ...json })

/** Makes a project from a URL, and waits until its import has ended. */
async function importFrom(import_url: string, json: object = {}) {
  const by = await w.user()
  const made = await ask(by, { import_url, ...json })
  expect([made.status, made.body.message]).toEqual([201, undefined])
  return { by, made: made.body, project: await ended(by, made.body.id) }
}

const ended = (by: Actor, id: number) =>
  until(async () => {
    const { body } = await by.get(`/projects/${id}`)
    expect(body.import_status).toMatch(/^(finished|failed)$/)
    return body
  })

/** Schedules an import as a request does, without what the request checks. */
async function scheduled(url: string) {
  const { id, namespaceId, owner } = await w.project()
  const imported = { kind: 'git', url } as const
  await w.write(async (tx) => {
    await scheduleImport(tx, { id, namespace_id: namespaceId }, imported)
    await enqueue(tx, importRepository, { project_id: id })
  })
  return { project: id, by: owner }
}

const kept = (id: number) =>
  w.db.selectFrom('project_imports').selectAll().where('project_id', '=', id).executeTakeFirstOrThrow()

async function namesOf(by: Actor, id: number, kind: 'branches' | 'tags'): Promise<string[]> {
  const { body } = await by.get(`/projects/${id}/repository/${kind}`)
  return body.map(({ name }: { name: string }) => name).toSorted()
}

describe('POST /projects with import_url', () => {
  it('takes over branches, tags and the default branch of a public repository', async () => {
    const source = await sourceServer()
    await source.fill()
    await source.git(['branch', 'feature/x', 'trunk~1'])
    await source.git(['tag', 'v1', 'trunk'])
    const { by, made, project } = await importFrom(source.url, { visibility: 'private' })
    expect(made).toMatchObject({ import_type: 'git', import_url: source.url, import_error: null })
    expect(made.import_status).toMatch(/^(scheduled|started|finished)$/)
    expect(project).toMatchObject({
      import_status: 'finished',
      import_error: null,
      import_url: source.url,
      default_branch: 'trunk',
      empty_repo: false,
    })
    expect(await namesOf(by, project.id, 'branches')).toEqual(['feature/x', 'trunk'])
    expect(await namesOf(by, project.id, 'tags')).toEqual(['v1'])
    const { body: commit } = await by.get(`/projects/${project.id}/repository/commits/trunk`)
    expect(commit).toMatchObject({ id: await source.git(['rev-parse', 'trunk']), title: 'Say more' })
    expect((await by.get(`/projects/${project.id}/protected_branches`)).body).toMatchObject([
      { name: 'trunk' },
    ])
    const stored = await repositories.ofProject(project.id)
    if (stored === undefined) throw new Error('there is no repository')
    await stored.git.capture(stored, ['fsck', '--strict', '--full'])
  })

  it('is refused when `import_sources` does not allow it, as is an archive', async () => {
    const source = await sourceServer()
    await source.fill()
    const by = await w.user()
    const { body: before } = await w.root.get('/application/settings')
    expect(before.import_sources).toEqual(['git', 'gitlab_project'])
    const sentence = (name: string) =>
      `403 Forbidden - projects cannot be imported from ${name}: it is not one of the import_sources`
    try {
      await setting({ import_sources: ['gitlab_project'] })
      const { status, body } = await ask(by, { import_url: source.url })
      expect([status, body.message]).toEqual([403, sentence('git')])
      expect((await ask(by, {})).status).toBe(201)
      await setting({ import_sources: ['git', 'github'] })
      const form = new FormData()
      form.set('path', unique('archive'))
      form.set('file', new Blob(['no archive']), 'project.tar.gz')
      const archive = await by.send('POST', '/projects/import', { form })
      expect([archive.status, archive.body.message]).toEqual([403, sentence('gitlab_project')])
      expect((await ask(by, { import_url: source.url })).status).toBe(201)
    } finally {
      await setting({ import_sources: before.import_sources })
    }
  })

  it('sends credentials, shows them to nobody, and forgets them', async () => {
    const credentials = `ada:${createHash('sha1').update(unique('x')).digest('hex')}`
    const source = await sourceServer({ credentials })
    await source.fill()
    const { by, made, project } = await importFrom(source.url.replace('//', `//${credentials}@`))
    expect([made.import_url, project.import_url, project.import_status]).toEqual([
      source.url,
      source.url,
      'finished',
    ])
    expect(await namesOf(by, project.id, 'branches')).toEqual(['trunk'])
    const { credentials: left, ...row } = await kept(project.id)
    expect([left, row.url]).toEqual([null, source.url])
    const facts = await w.db
      .selectFrom('facts')
      .select('details')
      .where('name', 'like', 'project import%')
      .execute()
    expect(JSON.stringify(facts)).not.toContain(credentials.slice(4))
    for (const { headers } of source.seen) expect(headers).not.toHaveProperty('proxy-authorization')
  })

  it('keeps credentials sealed while it needs them', async () => {
    const asked = Promise.withResolvers<void>()
    const source = await sourceServer({
      instead: () => {
        // It never answers; the end of the test does.
        asked.resolve()
        return true
      },
    })
    const by = await w.user()
    const made = await ask(by, { import_url: source.url.replace('//', '//ada:very-secret@') })
    await asked.promise
    const { credentials, ...row } = await kept(made.body.id)
    expect(row).toMatchObject({ state: 'started', url: source.url })
    expect(credentials?.length).toBeGreaterThan(20)
    expect(credentials?.toString('latin1')).not.toContain('very-secret')
    expect((await by.get(`/projects/${made.body.id}`)).body).toMatchObject({
      import_status: 'started',
      import_url: source.url,
    })
    source.stop()
    expect(await ended(by, made.body.id)).toMatchObject({ import_status: 'failed' })
  })

  it.each([
    ['wrong ones', 'ada:wrong@'],
    ['none', ''],
  ])('says that the server asks for credentials, with %s', async (_, given) => {
    const source = await sourceServer({ credentials: 'ada:right' })
    await source.fill()
    const { project } = await importFrom(source.url.replace('//', `//${given}`))
    expect(project).toMatchObject({
      import_status: 'failed',
      import_error: 'The server of the repository asks for other credentials',
      empty_repo: true,
    })
    expect((await kept(project.id)).credentials).toBeNull()
  })

  it('imports an empty repository as an empty one', async () => {
    const source = await sourceServer()
    await source.fill(Buffer.alloc(0))
    const { project } = await importFrom(source.url)
    expect(project).toMatchObject({ import_status: 'finished', empty_repo: true })
  })

  it('says that there is no repository, or no server', async () => {
    const source = await sourceServer()
    await source.fill()
    const { project } = await importFrom(source.url.replace('sample', 'other'))
    expect(project).toMatchObject({
      import_status: 'failed',
      import_error: 'There is no repository at this URL',
    })
    source.stop()
    const { project: gone } = await importFrom(source.url)
    expect(gone.import_status).toBe('failed')
    expect(gone.import_error).toMatch(/cannot be reached: it refuses connections$/)
  })

  it('follows no redirect, inwards or elsewhere, so nobody else gets the password of its URL', async () => {
    const inner = await sourceServer()
    await inner.fill()
    const source = await sourceServer({
      instead: ({ url }, response) => {
        response.writeHead(302, { location: `http://127.0.0.1:${inner.port}${url}` }).end()
        return true
      },
    })
    const { project } = await importFrom(source.url.replace('//', '//me:secret@'))
    expect(project).toMatchObject({
      import_status: 'failed',
      import_error: 'The repository has moved: give the URL that this one redirects to',
    })
    expect(inner.seen).toEqual([])
  })

  it('checks the address again when it connects', async () => {
    const source = await sourceServer()
    await source.fill()
    const { project, by } = await scheduled(source.url.replace('127.0.0.1', '127.0.0.3'))
    expect(await ended(by, project)).toMatchObject({
      import_status: 'failed',
      import_error:
        'Requests to the local network are not allowed (administrators can allow them with the setting outbound_local_requests_whitelist)',
    })
    expect(source.seen).toEqual([])
  })

  it('begins again after a process has died, whatever that had done', async () => {
    const source = await sourceServer()
    await source.fill()
    const { by, project } = await importFrom(source.url)
    const branches = await namesOf(by, project.id, 'branches')
    const again = { state: 'started' as const, ended_at: null }
    await w.db.updateTable('project_imports').set(again).where('project_id', '=', project.id).execute()
    await w.write((tx) => enqueue(tx, importRepository, { project_id: project.id }))
    expect(await ended(by, project.id)).toMatchObject({ import_status: 'finished', default_branch: 'trunk' })
    expect(await namesOf(by, project.id, 'branches')).toEqual(branches)
  })

  it('takes nothing larger than the setting allows', async () => {
    const source = await sourceServer()
    const noise = Buffer.concat(
      Array.from({ length: 40_000 }, (_, index) => createHash('sha512').update(String(index)).digest()),
    )
    await source.fill(commits({ branch: 'trunk', files: { noise } }))
    await setting({ max_import_size: 1 })
    const { project } = await importFrom(source.url)
    expect(project).toMatchObject({
      import_status: 'failed',
      import_error: 'The repository is larger than this server allows',
      empty_repo: true,
    })
    await setting({ max_import_size: 5_120 })
    expect((await importFrom(source.url)).project.import_status).toBe('finished')
  })

  it('takes over branches and tags alone, with names that are allowed', async () => {
    const source = await sourceServer()
    await source.fill()
    const id = await source.git(['rev-parse', 'trunk'])
    for (const name of [
      'merge-requests/1/head',
      'keep-around/x',
      'notes/commits',
      'replace/x',
      'heads/refs/x',
    ]) {
      await source.git(['update-ref', `refs/${name}`, id])
    }
    await source.git(['update-ref', `refs/heads/${'a'.repeat(40)}`, id])
    const { project, by } = await importFrom(source.url)
    expect(project.import_status).toBe('finished')
    expect(await namesOf(by, project.id, 'branches')).toEqual(['trunk'])
    const stored = await repositories.ofProject(project.id)
    if (stored === undefined) throw new Error('there is no repository')
    const names = await stored.git.text(stored, ['for-each-ref', '--format=%(refname)'])
    expect(names.trim().split('\n')).toEqual(['refs/heads/trunk'])
  })

  it('refuses objects that a push could not bring', async () => {
    const source = await sourceServer()
    await source.fill()
    const blob = await source.git(['hash-object', '-w', '--stdin'], Buffer.from('x'))
    const entry = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')])
    const tree = await source.git(['hash-object', '-t', 'tree', '--literally', '-w', '--stdin'], entry)
    const commit = `tree ${tree}\nauthor A <a@example.com> 1 +0000\ncommitter A <a@example.com> 1 +0000\n\nx\n`
    const id = await source.git(['hash-object', '-t', 'commit', '-w', '--stdin'], Buffer.from(commit))
    await source.git(['update-ref', 'refs/heads/evil', id])
    const { project } = await importFrom(source.url)
    expect(project).toMatchObject({ import_status: 'failed', empty_repo: true })
    expect(project.import_error).toMatch(/^Git refuses the repository: .*hasDotgit/)
  })

  it('does not import by the old protocol what it does not check', async () => {
    const source = await sourceServer({
      instead: (request) => {
        // Without the query, the program serves files as they are.
        request.url = request.url?.replace(/\?.*/, '') ?? ''
        return false
      },
    })
    await source.fill()
    await source.git(['update-server-info'])
    const { project, by } = await importFrom(source.url)
    expect(project.import_status).toBe('finished')
    expect(await namesOf(by, project.id, 'branches')).toEqual(['trunk'])
  })

  it.each([
    ['no url', 'is not a valid URL'],
    ['ftp://example.com/a.git', 'is blocked: Only http and https are allowed'],
    ['file:///etc', 'is blocked: Only http and https are allowed'],
    ['ssh://git@example.com/a.git', 'is blocked: Only http and https are allowed'],
    [
      'http://127.0.0.2/a.git',
      'is blocked: Requests to the local network are not allowed (administrators can allow them with the setting outbound_local_requests_whitelist)',
    ],
    [
      'http://0x7f000002/a.git',
      'is blocked: Requests to the local network are not allowed (administrators can allow them with the setting outbound_local_requests_whitelist)',
    ],
    [
      'http://example.com@169.254.169.254/a.git',
      'is blocked: Requests to the local network are not allowed (administrators can allow them with the setting outbound_local_requests_whitelist)',
    ],
    [
      'http://[::1]/a.git',
      'is blocked: Requests to the local network are not allowed (administrators can allow them with the setting outbound_local_requests_whitelist)',
    ],
    [
      'http://8.8.8.8:22/a.git',
      'is blocked: Only the ports 80, 443 and those from 1024 are allowed (administrators can allow them with the setting outbound_local_requests_whitelist)',
    ],
    ['https://8.8.8.8/a.git?x=1', 'must not have a query or a fragment'],
    [
      `https://${'a'.repeat(256)}@8.8.8.8/a.git`,
      'has credentials that are too long (maximum is 255 characters each)',
    ],
    ['https://a:%0d%0a@8.8.8.8/a.git', 'has credentials that cannot be read'],
    ['https://a:%ff@8.8.8.8/a.git', 'has credentials that cannot be read'],
  ])('refuses %s', async (import_url, because) => {
    const { status, body } = await ask(w.root, { import_url })
    expect([status, body.message]).toEqual([400, { import_url: [because] }])
  })

  it('refuses a URL that is too long, and a first commit besides', async () => {
    const long = await ask(w.root, { import_url: `https://8.8.8.8/${'a'.repeat(2048)}` })
    expect([long.status, long.body.error]).toEqual([
      400,
      'import_url is too long (maximum is 2048 characters)',
    ])
    const both = await ask(w.root, { import_url: 'https://8.8.8.8/a.git', initialize_with_readme: true })
    expect([both.status, both.body.message]).toEqual([
      400,
      '400 Bad request - import_url and initialize_with_readme cannot be combined',
    ])
    const { id } = await w.project()
    const later = await w.root.put(`/projects/${id}`, { import_url: 'https://8.8.8.8/a.git' })
    expect([later.status, later.body.message]).toEqual([
      400,
      '400 Bad request - import_url: only a new project is imported',
    ])
  })

  it('makes no import when the project does not come about', async () => {
    const source = await sourceServer()
    const by = await w.user()
    const json = { import_url: source.url, name: unique('twice') }
    expect((await by.post('/projects', { name: json.name })).status).toBe(201)
    expect((await by.post('/projects', json)).status).toBe(400)
    expect(source.seen).toEqual([])
  })
})

describe('GET /projects?imported', () => {
  it('lists projects that came from elsewhere', async () => {
    const source = await sourceServer()
    const { by, project } = await importFrom(source.url)
    await ask(by, {})
    const { body } = await by.get('/projects?owned=true&imported=true')
    expect(body.map(({ id }: { id: number }) => id)).toEqual([project.id])
    expect((await by.get('/projects?owned=true')).body).toHaveLength(2)
  })
})

describe('GET /projects/:id/import', () => {
  it('says how far it is, and why it failed to maintainers alone', async () => {
    const source = await sourceServer({ credentials: 'ada:right' })
    const { by, project } = await importFrom(source.url, { visibility: 'public' })
    const path = `/projects/${project.id}/import`
    const { status, body } = await by.get(path)
    expect([status, body]).toEqual([
      200,
      {
        id: project.id,
        description: null,
        name: project.name,
        name_with_namespace: project.name_with_namespace,
        path: project.path,
        path_with_namespace: project.path_with_namespace,
        created_at: project.created_at,
        import_status: 'failed',
        import_type: 'git',
        correlation_id: null,
        failed_relations: [],
        import_error: 'The server of the repository asks for other credentials',
        stats: null,
      },
    ])
    const stranger = await w.user()
    expect((await stranger.get(path)).body).toMatchObject({ import_status: 'failed', import_error: null })
    const seen = (await stranger.get(`/projects/${project.id}`)).body
    expect(seen.import_status).toBe('failed')
    for (const absent of ['import_url', 'import_type', 'import_error'])
      expect(seen).not.toHaveProperty(absent)
    const { id, reporter } = await w.project()
    expect((await reporter.get(`/projects/${id}/import`)).body).toMatchObject({
      import_status: 'none',
      import_type: null,
    })
    expect((await stranger.get(`/projects/${id}/import`)).status).toBe(404)
  })
})
