import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { secondFolders } from '#code/repositories/second-folders.ts'
import { strangers } from '#code/repositories/strangers.ts'
import { GitClient } from '#test/git-client.ts'
import { repositoryFaults } from '#test/repositories.ts'
import { w } from '#test/world.ts'
import {
  alone,
  exists,
  finished,
  holdAt,
  moveProject,
  placeOf,
  projectWithCode,
  type Project,
  SECOND,
  tidy,
} from './test-support.ts'

// What happens to repositories while they move. moves.test.ts has what clients see of the moves themselves.

const retention = (seconds: number) =>
  w.root.put('/application/settings', { repository_storage_moves_source_retention: seconds })
let client: GitClient
beforeAll(async () => {
  await retention(0)
  client = await GitClient.open()
})
afterAll(async () => {
  await retention(30)
  await client[Symbol.asyncDispose]()
})

const READ_ONLY = 'The repository is temporarily read-only. Please try again later.'
const urlOf = ({ fullPath, maintainer }: Project, end = '') =>
  `${w.url.replace('://', `://x:${maintainer.token}@`)}/${fullPath}${end}.git`
const commit = { branch: 'main', content: 'x', commit_message: 'Add a file' }

/** The folders at a path that no repository is served from. */
async function leftAt(path: string): Promise<string[]> {
  const { repositories } = w.running.services
  const second = await secondFolders(repositories, 'no move')
  const found = second.map(({ relative_path }) => relative_path)
  for await (const { name } of strangers(repositories, new AbortController().signal)) found.push(name)
  return found.filter((name) => name.includes(path))
}

test('all references come along, hidden ones too, with HEAD and the same objects', async () => {
  const project = await projectWithCode()
  const before = await placeOf(project)
  const tip = (await before.git('rev-parse', 'refs/heads/main')).trim()
  for (const ref of [`refs/keep-around/${tip}`, 'refs/merge-requests/1/head', 'refs/heads/ünï'])
    await before.git('update-ref', ref, tip)
  const state = async ({ git }: Awaited<ReturnType<typeof placeOf>>) => [
    await git('for-each-ref'),
    await git('symbolic-ref', 'HEAD'),
    (await git('rev-list', '--objects', '--all')).split('\n').toSorted(),
  ]
  const expected = await state(before)
  await finished(await moveProject(project))
  const after = await placeOf(project)
  expect(await state(after)).toEqual(expected)
  expect(await after.git('fsck', '--full', '--strict')).not.toMatch(/error|missing/)
  expect(await leftAt(before.relative_path)).toEqual([])
})

test('what git was asked before is answered alike afterwards, and what changes then is seen', async () => {
  const project = await projectWithCode()
  const at = `/projects/${project.id}/repository`
  const namesOf = async (): Promise<string[]> =>
    (await project.maintainer.get(`${at}/branches`)).body.map(({ name }: { name: string }) => name)
  const before = await namesOf()
  const commits = (await project.maintainer.get(`${at}/commits`)).body
  await finished(await moveProject(project))
  expect([await namesOf(), (await project.maintainer.get(`${at}/commits`)).body]).toEqual([before, commits])
  const made = await project.maintainer.post(`${at}/branches`, { branch: 'after-the-move', ref: 'main' })
  expect(made.status).toBe(201)
  expect(await namesOf()).toEqual([...before, 'after-the-move'].toSorted())
})

test('while it moves, a repository is read and cloned, and every write is refused with the same words', async () => {
  const project = await projectWithCode()
  const p = `/projects/${project.id}`
  await project.owner.post(`${p}/wikis`, { title: 'Home', content: 'Here' })
  const work = await client.clone(urlOf(project), `read-only-${project.id}`)
  await work.commit({ a: '1' }, 'Change')
  using hold = holdAt('drained')
  const move = await moveProject(project)
  await hold.at
  expect((await w.root.get(`/project_repository_storage_moves/${move}`)).body.state).toBe('started')
  expect((await work.try('push', 'origin', 'HEAD:refs/heads/new')).err).toContain(READ_ONLY)
  const { maintainer } = project
  const refused = [
    await maintainer.post(`${p}/repository/files/new.txt`, commit),
    await maintainer.post(`${p}/repository/commits`, {
      branch: 'main',
      commit_message: 'x',
      actions: [{ action: 'create', file_path: 'b', content: 'x' }],
    }),
    await maintainer.post(`${p}/repository/branches`, { branch: 'other', ref: 'main' }),
    await maintainer.post(`${p}/repository/tags`, { tag_name: 'v1', ref: 'main' }),
    await maintainer.put(`${p}/wikis/Home`, { content: 'Elsewhere' }),
  ]
  for (const { status, body } of refused)
    expect([status, body.message]).toEqual([503, `503 Service Unavailable - ${READ_ONLY}`])
  expect((await maintainer.get(`${p}/repository/tree`)).status).toBe(200)
  expect((await client.try(['ls-remote', urlOf(project)])).code).toBe(0)
  hold.go()
  await finished(move)
  expect((await work.try('push', 'origin', 'HEAD:refs/heads/new')).code).toBe(0)
  expect((await maintainer.post(`${p}/repository/files/new.txt`, commit)).status).toBe(201)
})

test('a push that began before a move and ends after it is refused, and nothing of it is lost on the way', async () => {
  const project = await projectWithCode()
  const { repositories } = w.running.services
  const stale = await repositories.ofProject(project.id)
  const tip = (await (await placeOf(project)).git('rev-parse', 'main')).trim()
  await finished(await moveProject(project))
  const { changeReferences } = await import('#code/repositories/change-references.ts')
  const { keepCommit } = await import('#code/repositories/keep-commit.ts')
  if (stale === undefined) throw new Error('the project has a repository')
  const [outcome] = await changeReferences(repositories, stale, {
    changes: [{ ref: 'refs/heads/late', before: '0'.repeat(40), after: tip }],
    by: { author: null, ip: null },
    changer: null,
    cause: 'push',
  })
  expect(outcome?.refused).toEqual({ code: 'read-only', text: READ_ONLY })
  await expect(keepCommit(repositories, stale, tip)).rejects.toMatchObject({ kind: 'busy' })
  expect(await (await placeOf(project)).git('for-each-ref', 'refs/heads/late')).toBe('')
})

test('what somebody made while the repository was copied is fetched before the copy counts', async () => {
  const project = await projectWithCode()
  const before = await placeOf(project)
  using hold = holdAt('copied')
  const move = await moveProject(project)
  await hold.at
  const tree = (await before.git('rev-parse', 'main^{tree}')).trim()
  const args = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit-tree', '-m', 'Late', tree]
  const late = (await before.git(...args)).trim()
  await before.git('update-ref', `refs/keep-around/${late}`, late)
  hold.go()
  await finished(move)
  expect((await (await placeOf(project)).git('cat-file', '-t', late)).trim()).toBe('commit')
})

test('a process that reads in the old folder keeps it until it has ended', async () => {
  const project = await projectWithCode()
  const before = await placeOf(project)
  const { git } = w.running.services.repositories
  const reading = await git.start({ folder: before.folder }, ['cat-file', '--batch'])
  const move = await moveProject(project)
  await finished(move, 'replicated')
  expect(await exists(before.folder)).toBe(true)
  reading.stdin.end()
  reading.stdout.resume()
  await reading.ended
  await finished(move)
  expect(await exists(before.folder)).toBe(false)
}, 180_000)

describe('a move that fails', () => {
  test('leaves the repository where it was, writable, and removes what it has copied', async () => {
    const project = await projectWithCode()
    const before = await placeOf(project)
    // An object is lost.
    const blob = (await before.git('rev-parse', 'main:README.md')).trim()
    using hold = holdAt('drained')
    const move = await moveProject(project)
    await hold.at
    const objects = join(before.folder, 'objects')
    await rename(objects, `${objects}-away`)
    await mkdir(objects)
    hold.go()
    await finished(move, 'failed')
    await rm(objects, { recursive: true })
    await rename(`${objects}-away`, objects)
    w.running.services.repositories.git.readers.forget(before)
    const after = await placeOf(project)
    expect([after.folder, after.read_only_because]).toEqual([before.folder, null])
    expect((await after.git('cat-file', '-t', blob)).trim()).toBe('blob')
    const copies = w.db.selectFrom('repository_storage_copies').select('id').where('move_id', '=', move)
    await expect.poll(() => copies.execute()).toEqual([])
    await finished(await moveProject(project))
  })

  test('to remove the old folder is found by a check, and housekeeping finishes it later', async () => {
    const project = await projectWithCode()
    const before = await placeOf(project)
    const move = await moveProject(project)
    await finished(move)
    // As if it had failed: the folder and its row are there again.
    await mkdir(before.folder, { recursive: true })
    await writeFile(join(before.folder, 'HEAD'), '')
    const after = await placeOf(project)
    // The server tidies every five minutes. It leaves alone what somebody works on.
    const faults = await alone(move, async () => {
      await w.db
        .insertInto('repository_storage_copies')
        .values({
          move_id: move,
          repository_id: after.id,
          source_storage: before.storage,
          source_path: before.relative_path,
          destination_storage: after.storage,
          destination_path: after.relative_path,
          switched_at: new Date().toISOString(),
          created_at: new Date().toISOString(),
        })
        .execute()
      await w.db
        .updateTable('repository_storage_moves')
        .set({ state: 'cleanup failed' })
        .where('id', '=', move)
        .execute()
      return (await repositoryFaults(w)).filter(({ repository }) => repository.includes(before.relative_path))
    })
    expect(faults).toMatchObject([{ problem: `storage move ${move} has left it`, repaired: false }])
    await tidy()
    expect(await exists(before.folder)).toBe(false)
    await finished(move)
    expect(await exists((await placeOf(project)).folder)).toBe(true)
  })

  test('never removes the folder that is served, whatever its rows say', async () => {
    const project = await projectWithCode()
    const place = await placeOf(project)
    const { id } = await w.db
      .insertInto('repository_storage_copies')
      .values({
        move_id: 2_147_483_000,
        repository_id: place.id,
        source_storage: place.storage,
        source_path: place.relative_path,
        destination_storage: SECOND,
        destination_path: 'aa/bb/none.git',
        switched_at: new Date().toISOString(),
        created_at: new Date().toISOString(),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await tidy()
    expect(await exists(place.folder)).toBe(true)
    await w.db.deleteFrom('repository_storage_copies').where('id', '=', id).execute()
  })
})

test('what a move has copied goes when its project is deleted meanwhile', async () => {
  const project = await projectWithCode()
  using hold = holdAt('copied')
  const move = await moveProject(project)
  await hold.at
  const copies = () =>
    w.db
      .selectFrom('repository_storage_copies')
      .select(['destination_path', 'destination_storage'])
      .where('move_id', '=', move)
      .execute()
  const [copy] = await copies()
  const { folder } = await w.running.services.repositories.locationOf({
    storage: copy?.destination_storage ?? '',
    relative_path: copy?.destination_path ?? '',
  })
  expect(await exists(folder)).toBe(true)
  await w.db.deleteFrom('projects').where('id', '=', project.id).execute()
  hold.go()
  await expect.poll(async () => (await tidy(), (await copies()).length)).toBe(0)
  expect(await exists(folder)).toBe(false)
})

test('metrics count the moves that are not finished', async () => {
  const project = await projectWithCode()
  using hold = holdAt('copied')
  const move = await moveProject(project)
  await hold.at
  const metrics = await (await fetch(`${w.url}/-/metrics`)).text()
  expect(metrics).toMatch(/forgelet_repository_storage_moves\{state="started"\} 1/)
  expect(metrics).toMatch(/forgelet_repository_storage_usable\{storage="second"\} 1/)
  hold.go()
  await finished(move)
})

test('without a storage, a node is ready, and answers 503 for what is on it alone', async () => {
  const here = await projectWithCode()
  const there = await projectWithCode()
  await finished(await moveProject(there))
  const storages = (w.environment['FORGELET_STORAGES'] ?? '').replace(
    /second=.*$/,
    `second=${client.folder}/gone`,
  )
  await using node = new AsyncDisposableStack()
  const server = await w.another(undefined, { FORGELET_STORAGES: storages })
  node.defer(() => server.stop())
  const status = async ({ id, owner }: Project) => {
    const path = `${server.url}/api/v4/projects/${id}/repository/tree`
    return (await fetch(path, { headers: { 'private-token': owner.token } })).status
  }
  expect([await status(here), await status(there)]).toEqual([200, 503])
  const ready = await fetch(`${server.url}/-/readiness`)
  expect(ready.status).toBe(200)
  expect(JSON.stringify(await ready.json())).toMatch(/"repositories_check":\[\{"status":"degraded"/)
})
