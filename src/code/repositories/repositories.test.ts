import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { quiet } from '#test/job-worker.ts'
import { giveBranches, repositoryFaults } from '#test/repositories.ts'
import { openWorld, w } from '#test/world.ts'
import { git, projectWith, pushesTo, rowOf, urlWith, withGit } from '#code/git-http/test-support.ts'
import { NO_OBJECT } from '#code/git/names.ts'
import { updateReferences } from '#code/git/update-references.ts'
import { transact } from '#platform/db/transaction.ts'
import { jobContext } from '#platform/jobs/context.ts'
import { changeReferences } from './change-references.ts'
import { faultsOf, type FaultBrief } from './check.ts'
import { writeIntent } from './intents.ts'
import { maintainRepository } from './maintain.ts'
import { forgetChanges, tidyRepositories } from './remove.ts'
import type { Holder } from './holder.ts'
import { Repositories } from './repositories.ts'
import { repositoryColumns } from './rows.ts'
import { Storages } from './storages.ts'
import { commitFiles } from './test-support.ts'
import { until } from '#test/until.ts'

withGit()

const { repositories } = w.running.services
/** The repositories as a process has them that dies before it has finished anything. */
const ofTheDead = (number: number) => {
  const { source, git, storages, log, settings } = repositories
  const holder = { number, hold: async () => {} } as unknown as Holder
  return new Repositories({ source, git, storages, holder, log, settings })
}
const job = () =>
  jobContext({ ...w.running.services, log: quiet }, { attempt: 1, signal: new AbortController().signal })
/** Once the server's own worker has done the same, as it does every five minutes, perhaps in this moment. */
const tidy = () => until(() => tidyRepositories.execute({}, job()))
const by = { author: null, ip: null }

async function repositoryOf(project: { readonly id: number }) {
  const found = await repositories.ofProject(project.id)
  if (found === undefined) throw new Error('there is no repository')
  return found
}

/** What is wrong with the repository in a folder, as long as the database knows it. */
async function faultsIn(folder: string, repair = false): Promise<readonly FaultBrief[]> {
  const row = await w.db
    .selectFrom('repositories')
    .select(repositoryColumns)
    .where('relative_path', '=', folder.split('/').slice(-3).join('/'))
    .executeTakeFirstOrThrow()
  return faultsOf(repositories, row, { repair })
}

describe('changing references', () => {
  it('is recorded with its fact, or not at all', async () => {
    const project = await w.project()
    const repository = await repositories.ensure({ kind: 'project', project: project.id })
    const first = await commitFiles(repositories, repository, { a: '1' })
    const second = await commitFiles(repositories, repository, { a: '2' })
    const stale = await changeReferences(repositories, repository, {
      changes: [{ ref: 'refs/heads/main', before: first, after: second }],
      by,
      changer: null,
      cause: 'test',
    })
    expect(stale[0]?.refused?.text).toContain('changed it meanwhile')
    expect(await pushesTo(project)).toHaveLength(2)
  })

  it('tells of unrelated changes one by one unless they are atomic', async () => {
    const project = await w.project()
    const repository = await repositories.ensure({ kind: 'project', project: project.id })
    const id = await commitFiles(repositories, repository, { a: '1' })
    const changes = [
      { ref: 'refs/heads/x', before: NO_OBJECT, after: id },
      { ref: 'refs/heads/y', before: id, after: id.replace(/^./, (c) => (c === '0' ? '1' : '0')) },
      { ref: 'refs/tags/t', before: NO_OBJECT, after: id },
    ]
    const request = { changes, by, changer: null, cause: 'test' }
    const atomic = await changeReferences(repositories, repository, request)
    expect(atomic.map(({ refused }) => refused === undefined)).toEqual([false, false, false])
    const apart = await changeReferences(repositories, repository, { ...request, atomic: false })
    expect(apart.map(({ refused }) => refused === undefined)).toEqual([true, false, true])
    expect(await rowOf(project)).toMatchObject({ branch_count: 2, tag_count: 1, last_tag: 't' })
  })

  it('never waits for git inside a transaction', async () => {
    const project = await w.project()
    const repository = await repositories.ensure({ kind: 'project', project: project.id })
    const inside = w.write(() => repository.git.text(repository, ['for-each-ref']))
    await expect(inside).rejects.toThrow('must not be waited for inside a transaction')
  })
})

describe('a process that died', () => {
  it('before git changed anything leaves nothing to record', async () => {
    const { project, work } = await projectWith({ a: '1' })
    const repository = await repositoryOf(project)
    const changes = [{ ref: 'refs/heads/x', before: NO_OBJECT, after: '1'.repeat(40) }]
    const dead = ofTheDead(4711)
    const intended = { repositoryId: repository.id, changes, cause: 'push', by }
    const { id } = (await writeIntent(dead, repository.row, intended)) ?? { id: 0 }
    await work.run('push', '--quiet', 'origin', 'main:other')
    const intent = await w.db
      .selectFrom('reference_changes')
      .select('state')
      .where('id', '=', id)
      .executeTakeFirst()
    expect(intent?.state).toBe('dismissed')
    expect((await pushesTo(project)).map(({ ref }) => ref)).toEqual(['main', 'other'])
  })

  it('after git changed references is made up for before the next push, in the name of its author', async () => {
    const { project, work, head } = await projectWith({ a: '1' })
    const repository = await repositoryOf(project)
    const changes = [{ ref: 'refs/heads/x', before: NO_OBJECT, after: head }]
    const { id, username } = project.developer
    const dead = ofTheDead(4712)
    const intent = {
      repositoryId: repository.id,
      changes,
      cause: 'push',
      by: { author: { id, username }, ip: null },
    }
    await writeIntent(dead, repository.row, intent)
    await updateReferences(repository, changes, true)
    await work.run('push', '--quiet', 'origin', 'main:y')
    expect((await pushesTo(project)).map(({ ref, actor_id }) => [ref, actor_id])).toEqual([
      ['main', project.maintainer.id],
      ['x', id],
      ['y', project.maintainer.id],
    ])
    expect(await rowOf(project)).toMatchObject({ branch_count: 3 })
  })

  it('is not confused with one that lives', async () => {
    const { project, work, head } = await projectWith({ a: '1' })
    const repository = await repositoryOf(project)
    const second = await w.another()
    try {
      const changes = [{ ref: 'refs/heads/x', before: NO_OBJECT, after: head }]
      const intent = { repositoryId: repository.id, changes, cause: 'push', by }
      const { id } = (await writeIntent(second.services.repositories, repository.row, intent)) ?? { id: 0 }
      await updateReferences(repository, changes, true)
      await work.run('push', '--quiet', 'origin', 'main:y')
      const state = async () =>
        (await w.db.selectFrom('reference_changes').select('state').where('id', '=', id).executeTakeFirst())
          ?.state
      expect(await state()).toBe('pending')
      await second.stop()
      await tidy()
      expect(await state()).toBe('recorded')
      expect(await pushesTo(project)).toHaveLength(3)
    } finally {
      await second.stop()
    }
  })
})

describe('deletion', () => {
  it('of a project removes its folder and its row by a job', async () => {
    const { project } = await projectWith({ a: '1' })
    const { folder, row } = await repositoryOf(project)
    await tidy()
    await project.owner.delete(`/projects/${project.id}`)
    await until(async () => {
      const left = await w.db
        .selectFrom('repositories')
        .select('project_id')
        .where('id', '=', row.id)
        .execute()
      expect(left.filter(({ project_id }) => project_id !== null)).toEqual([])
    })
    await tidy()
    expect(await w.db.selectFrom('repositories').select('id').where('id', '=', row.id).execute()).toEqual([])
    expect(await readdir(dirname(folder))).not.toContain(folder.split('/').at(-1))
  })
})

describe('housekeeping', () => {
  it('packs a repository after enough pushes, and changes nothing that one sees', async () => {
    const project = await w.project()
    const repository = await repositories.ensure({ kind: 'project', project: project.id })
    for (let count = 0; count < 25; count += 1)
      await commitFiles(repositories, repository, { a: String(count) })
    const { id } = repository.row
    const waiting = async () =>
      (
        await w.db
          .selectFrom('repositories')
          .select('changes_since_maintenance as n')
          .where('id', '=', id)
          .executeTakeFirst()
      )?.n
    await until(async () => expect(await waiting()).toBe(0))
    const packs = (await readdir(join(repository.folder, 'objects', 'pack'))).filter((name) =>
      name.endsWith('.pack'),
    )
    expect(packs.length).toBeLessThan(5)
    expect(await readFile(join(repository.folder, 'packed-refs'), 'utf8')).toContain('refs/heads/main')
    expect(await rowOf(project)).toMatchObject({ commit_count: 25 })
    expect(await faultsIn(repository.folder)).toEqual([])
  })

  it('collects now and then, and forgets changes that were recorded', async () => {
    const project = await w.project()
    const repository = await repositories.ensure({ kind: 'project', project: project.id })
    await commitFiles(repositories, repository, { a: '1' })
    const { id } = repository.row
    await w.db.updateTable('repositories').set({ collected_at: '2020-01-01' }).where('id', '=', id).execute()
    await maintainRepository.execute({ repository_id: id }, job())
    expect(await faultsIn(repository.folder)).toEqual([])
    await w.db
      .updateTable('reference_changes')
      .set({ ended_at: '2020-01-01' })
      .where('repository_id', '=', id)
      .execute()
    await forgetChanges.execute({}, job())
    expect(
      await w.db.selectFrom('reference_changes').select('id').where('repository_id', '=', id).execute(),
    ).toEqual([])
  })
})

describe('forgelet check repositories', () => {
  it('finds and corrects rows that are out of date', async () => {
    const { project, head } = await projectWith({ a: '1' })
    const { folder, row } = await repositoryOf(project)
    await w.db
      .updateTable('repositories')
      .set({ branch_count: 7, last_tag: 'no' })
      .where('id', '=', row.id)
      .execute()
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/other\n')
    expect((await faultsIn(folder)).map(({ problem, repaired }) => [problem, repaired])).toEqual([
      ['its row is out of date: last_tag, branch_count', false],
      ['HEAD names other', false],
    ])
    expect((await faultsIn(folder, true)).map(({ repaired }) => repaired)).toEqual([true, true])
    expect(await faultsIn(folder)).toEqual([])
    expect(await rowOf(project)).toMatchObject({ branch_count: 1, last_tag: null, last_commit_sha: head })
  })

  it('tells of folders that are missing and objects that are damaged, and touches neither', async () => {
    const { project, url } = await projectWith({ a: '1' })
    const { folder } = await repositoryOf(project)
    await rename(folder, `${folder}-away`)
    expect((await faultsIn(folder, true))[0]?.problem).toContain('its folder is missing')
    const answer = await git().try(['ls-remote', url])
    expect(answer.err).toContain('503')
    await rename(`${folder}-away`, folder)
    const packs = join(folder, 'objects', 'pack')
    const [pack = ''] = (await readdir(packs)).filter((name) => name.endsWith('.pack'))
    await chmod(join(packs, pack), 0o600)
    const bytes = await readFile(join(packs, pack))
    await writeFile(join(packs, pack), bytes.fill(7, 14, bytes.length - 24))
    const other = await projectWith({ b: '1' })
    expect((await faultsIn(folder, true))[0]?.problem).toContain('it is damaged')
    expect((await git().try(['clone', url, 'damaged'])).code).not.toBe(0)
    expect((await git().try(['ls-remote', other.url])).code).toBe(0)
    await rm(folder, { recursive: true })
    await w.db.deleteFrom('repositories').where('project_id', '=', project.id).execute()
  })

  it('moves folders aside that the database does not know', async () => {
    const own = await openWorld()
    onTestFinished(() => own.running.stop())
    await giveBranches(await own.project(), own)
    const { folder, row } = await giveBranches(await own.project(), own)
    await own.db.deleteFrom('repositories').where('id', '=', row.id).execute()
    const faults = await repositoryFaults(own, true)
    expect(faults.find(({ repository }) => repository.endsWith(row.relative_path))).toMatchObject({
      owner: undefined,
      problem: 'the database does not know it',
      repaired: true,
    })
    await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('storages', () => {
  const data = () => w.running.services.config.data
  const storagesAt = (storages: ReadonlyMap<string, string>) =>
    new Storages({
      config: { data: data(), storages },
      db: w.db,
      random: w.running.services.random,
      log: quiet,
    })

  it('are chosen by the weights of the setting alone', async () => {
    const storages = storagesAt(new Map([['fast', join(data(), 'fast')]]))
    const chosen = (weights: object) =>
      new Set(Array.from({ length: 50 }, () => storages.choose({ ...weights })))
    expect(chosen({ default: 100 })).toEqual(new Set(['default']))
    expect(chosen({ fast: 1 })).toEqual(new Set(['fast']))
    expect(chosen({ fast: 50, default: 50 })).toEqual(new Set(['fast', 'default']))
    expect(chosen({ gone: 100 })).toEqual(new Set(['default']))
  })

  it('are refused when another disk is in their place', async () => {
    const path = join(data(), 'moved')
    const storages = storagesAt(new Map([['moved', path]]))
    await storages.check()
    expect(await storages.problem()).toBeUndefined()
    expect(await storages.pathOf('moved')).toBe(path)
    await rename(path, `${path}-away`)
    await mkdir(path)
    const again = storagesAt(new Map([['moved', path]]))
    await again.check()
    expect(await again.problem()).toContain('moved: there is no .forgelet-storage')
    await expect(again.pathOf('moved')).rejects.toMatchObject({ kind: 'busy' })
    await expect(again.pathOf('nowhere')).rejects.toMatchObject({ kind: 'busy' })
    await w.db.deleteFrom('repository_storages').where('name', '=', 'moved').execute()
  })

  it('that are full answer 507, and nothing else is affected', async () => {
    const { project, url } = await projectWith({ a: '1' })
    const { folder } = await repositoryOf(project)
    // A device that is always full, in the place of the folder for new objects.
    const failure = await import('#code/git/errors.ts')
    const full = failure.meaningOfFailure(
      new failure.GitFailed({
        repository: folder,
        command: 'index-pack',
        exitCode: 128,
        stderr: 'fatal: write error: No space left on device',
      }),
    )
    expect(full).toMatchObject({ kind: 'full' })
    expect((await git().try(['ls-remote', url])).code).toBe(0)
  })
})

it('an intent is written outside of the transaction that records it', async () => {
  const { project } = await projectWith({ a: '1' })
  const { id } = await repositoryOf(project)
  const states = await transact(repositories.source, by, (tx) =>
    tx.db.selectFrom('reference_changes').select('state').where('repository_id', '=', id).execute(),
  )
  expect(states).toEqual([{ state: 'recorded' }])
  expect(urlWith(undefined, project.fullPath)).toContain(project.fullPath)
})
