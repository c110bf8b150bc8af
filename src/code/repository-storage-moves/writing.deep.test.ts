import { chmod, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Clone, GitClient } from '#test/git-client.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'
import {
  exists,
  finished,
  holdAt,
  moveProject,
  placeOf,
  projectWithCode,
  reaches,
  SECOND,
  tidy,
} from './test-support.ts'

// Who writes while a repository moves: git, merge requests and snippets. copying.test.ts has the copy itself.

let client: GitClient
beforeAll(async () => {
  await w.root.put('/application/settings', { repository_storage_moves_source_retention: 0 })
  client = await GitClient.open()
})
afterAll(async () => {
  await w.root.put('/application/settings', { repository_storage_moves_source_retention: 30 })
  await client[Symbol.asyncDispose]()
})

const READ_ONLY = 'The repository is temporarily read-only. Please try again later.'
const refusal = [503, `503 Service Unavailable - ${READ_ONLY}`]

/** Moves there and back while people push; `STORAGE_MOVE_ROUNDS=100` for a long run. */
const ROUNDS = Number(process.env['STORAGE_MOVE_ROUNDS'] ?? 2)

test('whoever pushes all the time is told truly: what was taken is on the other storage, what was refused is not', async () => {
  const project = await projectWithCode()
  const url = `${w.url.replace('://', `://x:${project.maintainer.token}@`)}/${project.fullPath}.git`
  const pushers = await Promise.all([1, 2, 3].map((one) => client.clone(url, `live-${project.id}-${one}`)))
  for (let round = 0; round < ROUNDS; round += 1) {
    const taken = new Map<string, string>()
    const refused = new Set<string>()
    const over = new AbortController()
    const push = async (clone: Clone, who: number) => {
      for (let turn = 0; !over.signal.aborted; turn += 1) {
        const branch = `b-${round}-${who}-${turn}`
        const id = await clone.commit({ [branch]: branch }, branch)
        const { code, err } = await clone.try('push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`)
        if (code === 0) taken.set(branch, id)
        else {
          expect(err).toContain(READ_ONLY)
          refused.add(branch)
        }
      }
    }
    const pushing = Promise.all(pushers.map(push))
    const during = async (work: () => Promise<void>) => work().finally(() => over.abort())
    await Promise.all([
      pushing,
      during(async () => {
        await expect.poll(() => taken.size, { timeout: 120_000 }).toBeGreaterThan(2)
        const before = taken.size
        await finished(await moveProject(project, round % 2 === 0 ? SECOND : 'default'))
        await expect.poll(() => taken.size, { timeout: 120_000 }).toBeGreaterThan(before + 2)
      }),
    ])
    const { git, storage } = await placeOf(project)
    expect(storage).toBe(round % 2 === 0 ? SECOND : 'default')
    const format = '--format=%(refname:lstrip=2) %(objectname)'
    const lines = (await git('for-each-ref', format, `refs/heads/b-${round}-*`)).trim().split('\n')
    expect(lines.toSorted()).toEqual([...taken].map((pair) => pair.join(' ')).toSorted())
    expect(await git('fsck', '--connectivity-only')).not.toMatch(/error|missing/)
    expect(lines.filter((line) => refused.has(line.split(' ')[0] ?? ''))).toEqual([])
  }
}, 600_000)

test('a merge request is neither merged, rebased nor opened while its project moves', async () => {
  const project = await branchedProject()
  const { maintainer, developer } = project
  const p = `/projects/${project.id}`
  const { path } = await openMergeRequest(project, developer)
  using hold = holdAt('drained')
  const move = await moveProject(project)
  await hold.at
  const answers = [
    await maintainer.put(`${path}/merge`),
    await developer.post(project.path, { title: 'New', source_branch: 'clash', target_branch: 'main' }),
    await maintainer.post(`${p}/repository/commits/feature/cherry_pick`, { branch: 'main' }),
    await maintainer.post(`${p}/repository/commits/main/revert`, { branch: 'main' }),
  ]
  for (const { status, body } of answers) expect([status, body.message]).toEqual(refusal)
  expect((await maintainer.put(`${path}/rebase`)).status).toBe(202)
  const rebase = async () => (await maintainer.get(`${path}?include_rebase_in_progress=true`)).body
  await expect
    .poll(rebase, { timeout: 120_000 })
    .toMatchObject({ rebase_in_progress: false, merge_error: `Rebase failed: ${READ_ONLY}` })
  // Words need no repository.
  expect((await developer.post(`${path}/notes`, { body: 'Soon' })).status).toBe(201)
  hold.go()
  await finished(move)
  expect((await maintainer.put(`${path}/merge`)).body.state).toBe('merged')
}, 180_000)

test('an automatic merge that a move has held up takes place after it', async () => {
  const project = await branchedProject()
  const { maintainer, developer } = project
  const { path } = await openMergeRequest(project, developer, { title: 'Draft: x' })
  await maintainer.put(`${path}/merge`, { auto_merge: true })
  using hold = holdAt('drained')
  const move = await moveProject(project)
  await hold.at
  await developer.put(path, { title: 'x' })
  const look = async () => (await maintainer.get(path)).body
  await expect.poll(look, { timeout: 120_000 }).toMatchObject({ detailed_merge_status: 'mergeable' })
  // The job that merges has been refused at least once.
  await expect
    .poll(
      async () => {
        const { rows } = await w.running.services.pool.query(
          `select 1 from graphile_worker._private_jobs where last_error like '%are checked again%' and attempts > 0`,
        )
        return rows.length
      },
      { timeout: 120_000 },
    )
    .toBeGreaterThan(0)
  expect((await look()).state).toBe('opened')
  hold.go()
  await finished(move)
  await expect.poll(look, { timeout: 100_000 }).toMatchObject({ state: 'merged' })
}, 200_000)

test('a snippet is read while it moves, its title changes, and its files do not', async () => {
  const user = await w.user()
  const file = { file_path: 'a.txt', content: 'Text' }
  const given = { title: 'Some', visibility: 'private', files: [file] }
  const { body: snippet } = await user.post('/snippets', given)
  const path = `/snippets/${snippet.id}`
  using hold = holdAt('drained')
  const { body: move } = await w.root.post(`${path}/repository_storage_moves`, {
    destination_storage_name: SECOND,
  })
  await hold.at
  const change = { files: [{ action: 'update', ...file, content: 'Other' }] }
  const refused = await user.put(path, change)
  expect([refused.status, refused.body.message]).toEqual(refusal)
  expect((await user.put(path, { title: 'Other' })).status).toBe(200)
  expect((await user.get(`${path}/raw`)).text).toBe('Text')
  hold.go()
  await reaches(`/snippet_repository_storage_moves/${move.id}`)
  expect((await user.put(path, change)).status).toBe(200)
  expect((await user.get(`${path}/raw`)).text).toBe('Other')
  expect((await placeOf(snippet, 'snippet')).storage).toBe(SECOND)
})

test('a copy that the disk has spoiled is never served: the move fails, and the next one succeeds', async () => {
  const project = await projectWithCode()
  const before = await placeOf(project)
  using hold = holdAt('copied')
  const move = await moveProject(project)
  await hold.at
  const { destination_storage: storage, destination_path: relative_path } = await w.db
    .selectFrom('repository_storage_copies')
    .select(['destination_storage', 'destination_path'])
    .where('move_id', '=', move)
    .executeTakeFirstOrThrow()
  const copy = await w.running.services.repositories.locationOf({ storage, relative_path })
  const packs = join(copy.folder, 'objects', 'pack')
  const name = (await readdir(packs)).find((one) => one.endsWith('.pack')) ?? ''
  const pack = await readFile(join(packs, name))
  // One bit in the middle of the objects.
  const middle = Math.floor(pack.length / 2)
  pack.writeUInt8(pack.readUInt8(middle) ^ 1, middle)
  await chmod(join(packs, name), 0o600)
  await writeFile(join(packs, name), pack)
  hold.go()
  await finished(move, 'failed')
  expect((await placeOf(project)).folder).toBe(before.folder)
  await expect.poll(async () => (await tidy(), exists(copy.folder))).toBe(false)
  await finished(await moveProject(project))
})

test('`cleanup failed` says that the disk refused to remove the old folder; a job removes it once it can', async () => {
  const project = await projectWithCode()
  const { folder } = await placeOf(project)
  using hold = holdAt('switched')
  const move = await moveProject(project)
  await hold.at
  // Something that is no folder has come in the way.
  const parent = dirname(folder)
  await rename(parent, `${parent}-away`)
  await writeFile(parent, '')
  hold.go()
  await finished(move, 'cleanup failed')
  const { error } = await w.db
    .selectFrom('repository_storage_moves')
    .select('error')
    .where('id', '=', move)
    .executeTakeFirstOrThrow()
  expect(error).toContain('ENOTDIR')
  const commit = { branch: 'main', content: 'x', commit_message: 'Go on' }
  const file = `/projects/${project.id}/repository/files/new.txt`
  expect((await project.maintainer.post(file, commit)).status).toBe(201)
  await rm(parent)
  await rename(`${parent}-away`, parent)
  await expect.poll(async () => (await tidy(), exists(folder))).toBe(false)
  await finished(move)
})
