import { stat } from 'node:fs/promises'
import { expect } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import type { RepositoryKind } from '#platform/db/schema.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { type Client } from '#test/client.ts'
import { quiet } from '#test/job-worker.ts'
import { giveSample } from '#test/repositories.ts'
import { until } from '#test/until.ts'
import { w, type World } from '#test/world.ts'
import { leaseOf } from './rows.ts'
import type { MoveStep, MoveWatcher } from './steps.ts'
import { moveWatchers } from './steps.ts'
import { tidyMoves } from './tidy-moves.ts'

/** The storage of test servers besides the default one. */
export const SECOND = 'second'

/** A project with a small repository and no other repositories. */
export async function projectWithCode(world: World = w) {
  const project = await world.project()
  await giveSample(project)
  return project
}

type Project = Awaited<ReturnType<typeof projectWithCode>>

/** Asks for a move of a project. @returns its id */
export async function moveProject({ id }: { readonly id: number }, to = SECOND): Promise<number> {
  const path = `/projects/${id}/repository_storage_moves`
  const { status, body } = await w.root.post(path, { destination_storage_name: to })
  expect([status, body.state]).toEqual([201, 'scheduled'])
  return body.id
}

/** Waits until a move has a state. */
export async function reaches(path: string, state = 'finished', by: Client = w.root): Promise<void> {
  await expect.poll(async () => (await by.get(path)).body.state, { timeout: 100_000 }).toBe(state)
}

export const finished = (move: number, state = 'finished') =>
  reaches(`/project_repository_storage_moves/${move}`, state)

/** Where a repository is, and how it is read there. */
export async function placeOf({ id }: { readonly id: number }, kind: RepositoryKind = 'project') {
  const row = await w.db
    .selectFrom('repositories')
    .select(['id', 'storage', 'relative_path', 'read_only_because'])
    .where(kind === 'snippet' ? 'snippet_id' : kind === 'group_wiki' ? 'group_id' : 'project_id', '=', id)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow()
  const { repositories } = w.running.services
  const { folder } = await repositories.locationOf(row)
  const git = (...args: string[]) => repositories.git.text({ folder }, args)
  return { ...row, folder, git }
}

export const exists = (folder: string): Promise<boolean> =>
  stat(folder).then(
    () => true,
    () => false,
  )

/** Does at once what a job does every five minutes. */
export const tidy = (): Promise<void> =>
  tidyMoves.execute(
    {},
    jobContext({ ...w.running.services, log: quiet }, { attempt: 1, signal: new AbortController().signal }),
  )

/** Does something about a move while nobody else works on it. */
export const alone = <T>(move: number, work: () => Promise<T>): Promise<T> =>
  until(() => withLease({ db: w.db, log: quiet, signal: new AbortController().signal }, leaseOf(move), work))

/** Stops moves after a step until they may go on. */
export function holdAt(step: MoveStep): Disposable & { readonly at: Promise<number>; go(): void } {
  const held = Promise.withResolvers<number>()
  const free = Promise.withResolvers<void>()
  const watch: MoveWatcher = async (now, move) => {
    if (now !== step) return
    held.resolve(move)
    await free.promise
  }
  const watching = moveWatchers.add(watch)
  return {
    at: held.promise,
    go: () => free.resolve(),
    [Symbol.dispose]() {
      free.resolve()
      watching[Symbol.dispose]()
    },
  }
}

export type { Project }
