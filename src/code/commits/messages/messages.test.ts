import { afterAll, describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { NO_OBJECT } from '#code/git/names.ts'
import { updateReferences } from '#code/git/update-references.ts'
import { urlWith } from '#code/git-http/test-support.ts'
import { writeIntent } from '#code/repositories/intents.ts'
import { repairRepository } from '#code/repositories/repair.ts'
import { commitFiles } from '#code/repositories/test-support.ts'
import type { Client } from '#test/client.ts'
import { GitClient } from '#test/git-client.ts'
import { commits, importInto } from '#test/repositories.ts'
import { type Actor, type ContainerOptions, w } from '#test/world.ts'

const client = await GitClient.open()
afterAll(() => client[Symbol.asyncDispose]())

/** A project with a commit and some issues of the owner. */
async function withIssues(count = 1, options: ContainerOptions = {}) {
  const project = await w.project(options)
  const repository = await importInto(project, commits({ files: { a: '1' } }))
  for (let i = 1; i <= count; i += 1) {
    await project.owner.post(`/projects/${project.id}/issues`, { title: `Issue ${i}` })
  }
  return { ...project, repository, api: `/projects/${project.id}` }
}
type Project = Awaited<ReturnType<typeof withIssues>>

let serial = 0
/** Commits by the API. @returns the id */
async function commit(by: Client, api: string, commit_message: string, branch = 'main', more: object = {}) {
  serial += 1
  const actions = [{ action: 'create', file_path: `file ${serial}`, content: '' }]
  const { status, body } = await by.post(`${api}/repository/commits`, {
    branch,
    commit_message,
    actions,
    ...more,
  })
  expect([status, body.message.trimEnd()]).toEqual([201, commit_message])
  return String(body.id)
}

const issue = async ({ api }: Pick<Project, 'api'>, iid = 1, by: Client = w.root) =>
  (await by.get(`${api}/issues/${iid}`)).body
const notes = async ({ api }: Pick<Project, 'api'>, iid = 1, by: Client = w.root): Promise<string[]> =>
  (await by.get(`${api}/issues/${iid}/notes?sort=asc&per_page=100`)).body.map(
    ({ body }: { body: string }) => body,
  )

/** A clone of somebody's, with a remote. */
const clone = (project: Project, by: Actor, name: string) =>
  client.clone(urlWith(by.token, project.fullPath), `${name}-${project.id}`)

describe('a commit on the default branch', () => {
  test('closes the issues that it names', async () => {
    const p = await withIssues(4)
    const id = await commit(
      p.developer,
      p.api,
      `Do it\n\nCloses #1, #2 and ${w.url}/${p.fullPath}/-/issues/3\nSee #4`,
    )
    for (const iid of [1, 2, 3]) {
      expect(await issue(p, iid)).toMatchObject({ state: 'closed', closed_by: { id: p.developer.id } })
      expect(await notes(p, iid)).toEqual([`closed via commit ${id.slice(0, 8)}`])
    }
    expect((await issue(p, 4)).state).toBe('opened')
    expect(await notes(p, 4)).toEqual([`mentioned in commit ${id}`])
    const events = (await p.reporter.get(`${p.api}/issues/1/resource_state_events`)).body
    expect(events).toMatchObject([{ state: 'closed', source_commit: id, user: { id: p.developer.id } }])
    expect((await p.owner.get(p.api)).body.open_issues_count).toBe(1)
    const facts = await w.db
      .selectFrom('facts')
      .select(['name', 'actor_id'])
      .where('namespace_id', '=', p.namespaceId)
      .where('name', '=', 'issue closed')
      .execute()
    expect(facts).toHaveLength(3)
  })

  test('closes by a push, and one on another branch only mentions', async () => {
    const p = await withIssues(2)
    const here = await clone(p, p.maintainer, 'push')
    await here.run('checkout', '--quiet', '-b', 'feature')
    const id = await here.commit({ b: '1' }, 'Fixes #1')
    await here.run('push', '--quiet', 'origin', 'feature')
    expect([(await issue(p)).state, await notes(p)]).toEqual(['opened', [`mentioned in commit ${id}`]])
    const next = await here.commit({ c: '1' }, 'Resolve #2')
    await here.run('push', '--quiet', 'origin', 'feature:main')
    expect([(await issue(p)).state, (await issue(p, 2)).state]).toEqual(['closed', 'closed'])
    expect(await notes(p)).toEqual([`mentioned in commit ${id}`, `closed via commit ${id.slice(0, 8)}`])
    expect(await notes(p, 2)).toEqual([`closed via commit ${next.slice(0, 8)}`])
  })

  test('does not close again what somebody has reopened', async () => {
    const p = await withIssues(1)
    const here = await clone(p, p.maintainer, 'again')
    await p.maintainer.put(`${p.api}/protected_branches/main`, { allow_force_push: true })
    await p.maintainer.delete(`${p.api}/protected_branches/main`)
    const id = await here.commit({ b: '1' }, 'Closes #1')
    await here.run('push', '--quiet', 'origin', 'main')
    await p.owner.put(`${p.api}/issues/1`, { state_event: 'reopen' })
    await here.run('push', '--quiet', '--force', 'origin', 'HEAD~1:main')
    await here.run('push', '--quiet', 'origin', 'HEAD:main', 'HEAD:other')
    expect((await issue(p)).state).toBe('opened')
    expect(await notes(p)).toEqual([`closed via commit ${id.slice(0, 8)}`, `mentioned in commit ${id}`])
    await commit(p.developer, p.api, 'Closes #1 at last')
    expect((await issue(p)).state).toBe('closed')
  })

  test('leaves issues alone that are closed, or where the project does not want it', async () => {
    const p = await withIssues(2)
    await p.owner.put(`${p.api}/issues/1`, { state_event: 'close' })
    const id = await commit(p.developer, p.api, 'Closes #1')
    expect(await notes(p)).toEqual([`mentioned in commit ${id}`])
    await p.owner.put(p.api, { autoclose_referenced_issues: false })
    const next = await commit(p.developer, p.api, 'Closes #2')
    expect([(await issue(p, 2)).state, await notes(p, 2)]).toEqual([
      'opened',
      [`mentioned in commit ${next}`],
    ])
  })
})

describe('rights', () => {
  test('to close are those of who pushes, in the project of the issue', async () => {
    const p = await withIssues(1)
    const other = await withIssues(3, { visibility: 'public' })
    const hidden = await withIssues(1)
    await p.developer.post(`${other.api}/issues`, { title: 'My own' })
    const message = `Closes ${other.fullPath}#1, ${other.fullPath}#4, ${hidden.fullPath}#1`
    const id = await commit(p.developer, p.api, message)
    expect([(await issue(other, 1)).state, (await issue(other, 4)).state]).toEqual(['opened', 'closed'])
    expect(await notes(other)).toEqual([`mentioned in commit ${p.fullPath}@${id}`])
    expect(await notes(other, 4)).toEqual([`closed via commit ${p.fullPath}@${id.slice(0, 8)}`])
    expect([(await issue(hidden)).state, await notes(hidden)]).toEqual(['opened', []])
    await w.member(other.namespaceId, p.developer, levels.planner)
    await commit(p.developer, p.api, `Closes ${other.fullPath}#2`)
    expect((await issue(other, 2)).state).toBe('closed')
    await w.db.updateTable('namespaces').set({ archived: true }).where('id', '=', other.namespaceId).execute()
    await commit(p.developer, p.api, `Closes ${other.fullPath}#3`)
    expect((await issue(other, 3)).state).toBe('opened')
  })

  test('to learn of the commit are those to read the code', async () => {
    const p = await withIssues(0)
    const other = await withIssues(2, { visibility: 'public' })
    await w.member(other.namespaceId, p.developer, levels.planner)
    await commit(p.developer, p.api, `Closes ${other.fullPath}#1, see ${other.fullPath}#2`)
    expect((await issue(other, 1, other.stranger)).state).toBe('closed')
    expect([await notes(other, 1, other.stranger), await notes(other, 2, other.stranger)]).toEqual([[], []])
    const events = `${other.api}/issues/1/resource_state_events`
    expect((await other.stranger.get(events)).body).toMatchObject([{ state: 'closed', source_commit: null }])
    expect(await notes(other, 1, p.developer)).toHaveLength(1)
  })

  test('do not reach from a fork into its source', async () => {
    const p = await withIssues(2, { visibility: 'public' })
    const { body: fork } = await p.maintainer.post(`${p.api}/fork`, { path: `fork-${p.id}`, name: 'Fork' })
    const forkApi = `/projects/${fork.id}`
    await expect
      .poll(async () => (await p.maintainer.get(`${forkApi}/repository/branches`)).body.length)
      .toBe(1)
    const id = await commit(p.maintainer, forkApi, `Closes ${p.fullPath}#1`)
    expect((await issue(p)).state).toBe('opened')
    expect(await notes(p)).toEqual([`mentioned in commit ${fork.path_with_namespace}@${id}`])
  })

  test('a change by no person says nothing', async () => {
    const p = await withIssues(1)
    await commitFiles(w.running.services.repositories, p.repository, { b: '1' }, { message: 'Closes #1' })
    expect([(await issue(p)).state, await notes(p)]).toEqual(['opened', []])
  })
})

describe('bounds', () => {
  /** Pushes that many commits, each of which names an issue. */
  async function push(p: Project, count: number) {
    const here = await clone(p, p.maintainer, `bounds-${count}`)
    const stream = Array.from({ length: count }, (_, index) => ({
      files: { [`file ${index}`]: '' },
      message: `Closes #${(index % 3) + 1}`,
    }))
    const from = `from ${await here.id('HEAD')}\n`
    const text = commits(...stream)
      .toString()
      .replace(/(data \d+\nCloses #1\n)/, `$1${from}`)
    await client.run(['fast-import', '--quiet'], { cwd: here.folder, input: text })
    const began = performance.now()
    const statements = await w.statements(() => here.run('push', '--quiet', 'origin', 'main'))
    return { statements: statements.length, milliseconds: performance.now() - began }
  }

  test('of the references in a message the first hundred count', async () => {
    const p = await withIssues(2)
    await commit(p.developer, p.api, `${'#2 '.repeat(99)}\nCloses #1, #2`)
    expect([(await issue(p)).state, (await issue(p, 2)).state]).toEqual(['closed', 'opened'])
    expect(await notes(p, 2)).toHaveLength(1)
  })

  test('a push takes the same statements for 3 commits as for 99, and one of 1,000 says nothing', async () => {
    const [few, many, most] = [await withIssues(3), await withIssues(3), await withIssues(3)]
    const three = await push(few, 3)
    const ninetyNine = await push(many, 99)
    expect(await notes(many)).toHaveLength(33)
    expect([(await issue(few, 3)).state, (await issue(many, 3)).state]).toEqual(['closed', 'closed'])
    expect(Math.abs(ninetyNine.statements - three.statements)).toBeLessThanOrEqual(2)
    const thousand = await push(most, 1_000)
    expect([(await issue(most)).state, await notes(most)]).toEqual(['opened', []])
    expect(thousand.statements).toBeLessThanOrEqual(three.statements)
  })
})

test('what a process that died has not said is said by the next one, once', async () => {
  const p = await withIssues(2)
  const { repositories } = w.running.services
  const { repository } = p
  const before = repository.row.last_commit_sha ?? NO_OBJECT
  const stream = commits({
    branch: 'later',
    files: { b: '1' },
    message: `Closes #1, see ${w.url}/${p.fullPath}/-/issues/2`,
  })
  await importInto(p, stream.toString().replace(/(data \d+\nCloses [^\n]+\n)/, `$1from ${before}\n`))
  const after = (await repository.git.text(repository, ['rev-parse', 'refs/heads/later'])).trim()
  const changes = [{ ref: 'refs/heads/main', before, after }]
  const by = { author: { id: p.developer.id, username: p.developer.username }, ip: null }
  const intent = { repositoryId: repository.id, changes, cause: 'push', by, site: w.url }
  await writeIntent(repositories, repository.row, intent)
  await updateReferences(repository, changes, true)
  const row = await repositories.reload(repository.row)
  const found = { ...repository, row: row ?? repository.row }
  for (const recorded of [1, 0]) expect(await repairRepository(repositories, found)).toBe(recorded)
  expect([(await issue(p)).state, (await issue(p, 2)).state]).toEqual(['closed', 'opened'])
  expect(await notes(p)).toEqual([`closed via commit ${after.slice(0, 8)}`])
  expect(await notes(p, 2)).toEqual([`mentioned in commit ${after}`])
})
