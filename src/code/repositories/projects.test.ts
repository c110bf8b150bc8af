import { describe, expect, it } from 'vitest'
import { Client } from '#test/client.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { quiet } from '#test/job-worker.ts'
import { cloneOf, projectWith, pushesTo, urlWith, withGit } from '#code/git-http/test-support.ts'
import { readCommit, readObject } from '#code/git/objects.ts'
import { objectAt } from '#code/git/tree.ts'
import { jobContext } from '#platform/jobs/context.ts'
import { tidyRepositories } from './remove.ts'

withGit()

describe('a new project', () => {
  it('gets a README, by its author, when it asks for one', async () => {
    const user = await w.user()
    const made = await user.post('/projects', {
      name: 'Hello World',
      description: 'Says hello',
      initialize_with_readme: true,
    })
    expect(made).toMatchObject({
      status: 201,
      body: {
        empty_repo: false,
        default_branch: 'main',
        readme_url: expect.stringMatching(/\/hello-world\/-\/blob\/main\/README\.md$/),
      },
    })
    const repository = await w.running.services.repositories.ofProject(made.body.id)
    if (repository === undefined) throw new Error('there is no repository')
    const commit = await readCommit(repository, repository.row.last_commit_sha ?? '')
    expect(commit).toMatchObject({
      title: 'Initial commit',
      author: { name: user.username, email: `${user.username}@example.com` },
    })
    const readme = await objectAt(repository, commit?.id ?? '', 'README.md')
    expect((await readObject(repository, readme?.id ?? ''))?.content.toString()).toBe(
      '# Hello World\n\nSays hello\n',
    )
    const { project_namespace_id: namespaceId } = await w.db
      .selectFrom('projects')
      .select('project_namespace_id')
      .where('id', '=', made.body.id)
      .executeTakeFirstOrThrow()
    expect(await pushesTo({ namespaceId })).toMatchObject([
      { action: 'created', ref: 'main', commit_count: 1, commit_to: commit?.id, actor_id: user.id },
    ])
    const clone = await cloneOf(urlWith(user.token, made.body.path_with_namespace))
    expect(await clone.id('HEAD')).toBe(commit?.id)
  })

  it('has the branch that it asks for', async () => {
    const user = await w.user()
    const asked = { name: 'Trunk', initialize_with_readme: true, default_branch: 'trunk' }
    const { body } = await user.post('/projects', asked)
    expect(body.default_branch).toBe('trunk')
    const refused = await user.post('/projects', { ...asked, name: 'Bad', default_branch: '-x' })
    expect(refused.status).toBe(400)
    const empty = await user.post('/projects', { name: 'Empty', default_branch: 'first' })
    expect(empty.body).toMatchObject({ default_branch: 'first', empty_repo: true, readme_url: null })
    const clone = await cloneOf(urlWith(user.token, empty.body.path_with_namespace))
    expect(await clone.run('symbolic-ref', 'HEAD')).toBe('refs/heads/first\n')
  })

  it('that is refused leaves a repository that a job removes', async () => {
    const user = await w.user()
    const { id: before = 0 } =
      (await w.db.selectFrom('repositories').select('id').orderBy('id', 'desc').executeTakeFirst()) ?? {}
    const refused = await user.post('/projects', { name: 'x', path: '-', initialize_with_readme: true })
    expect(refused.status).toBe(400)
    const left = () =>
      w.db.selectFrom('repositories').select(['id', 'project_id']).where('id', '>', before).execute()
    expect(await left()).toMatchObject([{ project_id: null }])
    // The server's own worker does the same every five minutes, perhaps in this moment.
    const job = jobContext(
      { ...w.running.services, log: quiet },
      { attempt: 1, signal: new AbortController().signal },
    )
    await until(() => tidyRepositories.execute({}, job))
    expect(await left()).toHaveLength(1)
    await w.db
      .updateTable('repositories')
      .set({ awaits_owner_until: '2020-01-01' })
      .where('id', '>', before)
      .execute()
    await until(() => tidyRepositories.execute({}, job))
    expect(await left()).toEqual([])
  })

  it('has SHA-1 ids alone', async () => {
    const refused = await w.root.post('/projects', { name: 'sha256', repository_object_format: 'sha256' })
    expect(refused.status).toBe(400)
  })
})

describe('a project shows', () => {
  it('what is in its repository, in lists with no more statements', async () => {
    const { project } = await projectWith({ 'readme.txt': 'x', 'README.md': 'y' }, { visibility: 'public' })
    const shown = {
      empty_repo: false,
      default_branch: 'main',
      readme_url: expect.stringContaining('README.md'),
    }
    expect((await project.owner.get(`/projects/${project.id}`)).body).toMatchObject(shown)
    const { body } = await w.anonymous.get(`/projects/${project.id}`)
    expect([body.default_branch, body.readme_url]).toEqual(['main', shown.readme_url])
    const list = await project.owner.get(`/groups/${project.groupId}/projects`)
    expect(list.body).toMatchObject([shown])
    const admin = await w.root.get(`/projects/${project.id}`)
    expect(admin.body.repository_storage).toBe('default')
  })

  it('its sizes to members', async () => {
    const { project } = await projectWith({ a: 'x'.repeat(100_000) }, { visibility: 'public' })
    const { body } = await project.reporter.get(`/projects/${project.id}?statistics=true`)
    expect(body.statistics).toMatchObject({ commit_count: 1, repository_size: expect.any(Number) })
    expect(body.statistics.repository_size).toBeGreaterThan(0)
    const guest = await project.guest.get(`/projects/${project.id}?statistics=true`)
    expect(guest.body).not.toHaveProperty('statistics')
  })

  it('administrators where its repository is', async () => {
    const { project } = await projectWith({ a: '1' })
    const { body } = await w.root.get(`/projects/${project.id}/storage`)
    expect(body).toEqual({
      project_id: project.id,
      disk_path: expect.stringMatching(/^[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{60}$/),
      created_at: expect.any(String),
      repository_storage: 'default',
    })
    const empty = await w.project()
    expect((await w.root.get(`/projects/${empty.id}/storage`)).body.disk_path).toBeNull()
    expect((await empty.owner.get(`/projects/${empty.id}/storage`)).status).toBe(403)
  })
})

describe('the default branch and the README of a project', () => {
  const change = (p: Awaited<ReturnType<typeof w.project>>, level: string) =>
    p.owner.put(`/projects/${p.id}`, { repository_access_level: level })
  const anonymous = new Client(w.url)
  const told = { default_branch: 'main', readme_url: expect.stringMatching(/README\.md$/) }
  const untold = { default_branch: null, readme_url: null }

  async function withReadme(visibility: 'private' | 'internal' | 'public') {
    const p = await w.project({ visibility })
    await p.owner.post(`/projects/${p.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Begin',
      actions: [{ action: 'create', file_path: 'README.md', content: 'x' }],
    })
    const outside = await w.user()
    const external = await w.user({ external: true })
    const shown = async (who: Client) => {
      const { status, body } = await who.get(`/projects/${p.id}`)
      if (status === 404) return status
      const { body: list } = await who.get(`/projects?search=${p.fullPath.split('/').at(-1)}&simple=true`)
      expect(list.find(({ id }: { id: number }) => id === p.id)).toMatchObject(pick(body))
      return pick(body)
    }
    return { p, outside, external, shown }
  }
  const pick = ({ default_branch, readme_url }: { default_branch: unknown; readme_url: unknown }) => ({
    default_branch,
    readme_url,
  })

  it('are told to those who may read its code', async () => {
    const { p, outside, external, shown } = await withReadme('private')
    for (const who of [p.guest, p.planner]) expect(await shown(who)).toEqual(untold)
    for (const who of [p.reporter, p.owner, w.root]) expect(await shown(who)).toEqual(told)
    for (const who of [outside, external, anonymous]) expect(await shown(who)).toBe(404)
    const internal = await withReadme('internal')
    for (const who of [internal.outside, internal.p.guest]) expect(await internal.shown(who)).toEqual(told)
    await w.member(internal.p.namespaceId, internal.external, 10)
    expect(await internal.shown(internal.external)).toEqual(untold)
  })

  it('are told to its members alone where its repository is private, and to nobody where there is none', async () => {
    const { p, outside, shown } = await withReadme('public')
    for (const who of [outside, anonymous, p.guest]) expect(await shown(who)).toEqual(told)
    await change(p, 'private')
    for (const who of [outside, anonymous]) expect(await shown(who)).toEqual(untold)
    for (const who of [p.guest, p.owner, w.root]) expect(await shown(who)).toEqual(told)
    await change(p, 'disabled')
    for (const who of [outside, anonymous, p.owner, w.root]) expect(await shown(who)).toEqual(untold)
  })
})
