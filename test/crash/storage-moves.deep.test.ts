import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import { LeaseHeld } from '#platform/jobs/lease.ts'
import { faultsOf } from '#code/repositories/check.ts'
import { repositoryColumns } from '#code/repositories/rows.ts'
import { secondFolders } from '#code/repositories/second-folders.ts'
import { strangers } from '#code/repositories/strangers.ts'
import { cleanUpMove } from '#code/repository-storage-moves/clean-up-move.ts'
import { runMove } from '#code/repository-storage-moves/run-move.ts'
import { moveSteps } from '#code/repository-storage-moves/steps.ts'
import { exists, placeOf, projectWithCode, SECOND } from '#code/repository-storage-moves/test-support.ts'
import { programEnvironment } from '#test/environment.ts'
import { GitClient } from '#test/git-client.ts'
import { quiet } from '#test/job-worker.ts'
import { w } from '#test/world.ts'

// A process is killed after each step of a move, another one goes on: on the same machine after a restart, or on another
// node that shares the storages.

const script = fileURLToPath(new URL('storage-moves.ts', import.meta.url))
let client: GitClient
// The jobs of this process leave the old folder to the test.
beforeAll(async () => {
  await w.root.put('/application/settings', { repository_storage_moves_source_retention: 3_600 })
  client = await GitClient.open()
})
afterAll(async () => {
  await w.root.put('/application/settings', { repository_storage_moves_source_retention: 30 })
  await client[Symbol.asyncDispose]()
})

const job = () =>
  jobContext({ ...w.running.services, log: quiet }, { attempt: 1, signal: new AbortController().signal })

async function insertMove(project: { readonly id: number }): Promise<number> {
  const now = w.clock.now().toISOString()
  const { id } = await w.db
    .insertInto('repository_storage_moves')
    .values({
      project_id: project.id,
      state: 'scheduled',
      source_storage_name: 'default',
      destination_storage_name: SECOND,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The folders that nothing names. */
async function unnamedFolders(): Promise<string[]> {
  const found: string[] = []
  const { signal } = new AbortController()
  for await (const { name } of strangers(w.running.services.repositories, signal)) found.push(name)
  return found
}

/** What a move has left behind, besides folders that other tests have. */
async function leftBy(move: number, ofOthers: readonly string[]): Promise<string[]> {
  const second = await secondFolders(w.running.services.repositories, 'no move')
  const own = second.filter(({ move_id }) => move_id === move).map(({ relative_path }) => relative_path)
  return [...own, ...(await unnamedFolders()).filter((folder) => !ofOthers.includes(folder))]
}

/** What a check finds wrong with a repository. Checking all repositories of the world takes long. */
async function faults({ id }: { readonly id: number }): Promise<string[]> {
  const { repositories } = w.running.services
  const row = await w.db
    .selectFrom('repositories')
    .select(repositoryColumns)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const found = (await faultsOf(repositories, row, { repair: false })).map(({ problem }) => problem)
  // The sample of tests does not say what its introduction is.
  return found.filter((fault) => !fault.endsWith('readme_path'))
}

const stateOf = async (move: number) =>
  (await w.root.get(`/project_repository_storage_moves/${move}`)).body.state

test.each(moveSteps)('killed at the step `%s`, a move goes on in another process', async (step) => {
  const ofOthers = await unnamedFolders()
  const project = await projectWithCode()
  const before = await placeOf(project)
  const expected = await before.git('for-each-ref')
  const url = `${w.url.replace('://', `://x:${project.maintainer.token}@`)}/${project.fullPath}.git`
  const move = await insertMove(project)
  const child = spawn(process.execPath, [script], {
    env: { ...programEnvironment(), ...w.environment, TEST_MOVE: String(move), TEST_STEP: step },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const [line] = await Promise.race([once(child.stdout, 'data'), exited])
  expect(String(line).trim()).toBe(step)
  // While it lives, nobody else works on the move.
  await expect(runMove.execute({ move_id: move }, job())).rejects.toThrow(LeaseHeld)
  child.kill('SIGKILL')
  await exited
  // One good copy is served, and every folder has a name.
  expect((await client.try(['ls-remote', url, 'refs/heads/main'])).out).toContain('refs/heads/main')
  const during = await placeOf(project)
  expect(during.folder === before.folder).toBe(!['switched', 'removed'].includes(step))
  expect([await faults(before), await leftBy(move, ofOthers)]).toEqual([[], []])
  const push = await client.clone(url, `killed-${step}`)
  const id = await push.commit({ [step]: '1' }, step)
  const isMoving = during.folder === before.folder
  expect((await push.try('push', 'origin', 'HEAD:main')).code === 0).toBe(!isMoving)
  // Its lease would end after some seconds.
  await w.db.deleteFrom('leases').where('name', '=', `repository storage move ${move}`).execute()
  await runMove.execute({ move_id: move }, job())
  await cleanUpMove.execute({ move_id: move }, job())
  await expect
    .poll(async () => {
      if ((await stateOf(move)) === 'finished') return 'finished'
      await cleanUpMove.execute({ move_id: move }, job())
      return stateOf(move)
    })
    .toBe('finished')
  const after = await placeOf(project)
  expect([after.storage, after.read_only_because]).toEqual([SECOND, null])
  expect(await exists(before.folder)).toBe(false)
  if (isMoving) expect((await push.try('push', 'origin', 'HEAD:main')).code).toBe(0)
  expect((await after.git('rev-parse', 'refs/heads/main')).trim()).toBe(id)
  const others = (text: string) => text.split('\n').filter((one) => !one.endsWith('refs/heads/main'))
  expect(others(await after.git('for-each-ref'))).toEqual(others(expected))
  expect([await faults(before), await leftBy(move, ofOthers)]).toEqual([[], []])
})
