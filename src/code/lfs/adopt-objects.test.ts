import { sql } from 'kysely'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { fillTables } from '#test/plans.ts'
import { until } from '#test/until.ts'
import { type Actor, unique, w } from '#test/world.ts'
import { projectWith, urlWith, withGit } from '#code/git-http/test-support.ts'
import { batch, lfsObject, type LfsObject, upload } from './test-support.ts'

withGit()

/** A public project with a fork of the reporter, which has a branch that the project does not have. */
async function forked() {
  const { project, work } = await projectWith({ a: 'a' }, { visibility: 'public' })
  const fork = await forkOf(project.reporter, project)
  await work.run('checkout', '--quiet', '-b', 'large')
  return { project, work, fork, author: project.reporter }
}

async function forkOf(by: Actor, { id: source }: { readonly id: number }) {
  const { body } = await by.post(`/projects/${source}/fork`, { path: unique('fork') })
  const { id, path_with_namespace: fullPath }: { id: number; path_with_namespace: string } = body
  await until(async () =>
    expect((await by.get(`/projects/${id}`)).body).toMatchObject({
      import_status: 'finished',
      empty_repo: false,
    }),
  )
  return { id, fullPath }
}

/** What a batch says of an object: where it is, that it must be uploaded, that it is there already, or an error. */
async function offered(
  { fullPath }: { readonly fullPath: string },
  by: Actor | undefined,
  operation: 'download' | 'upload',
  object: LfsObject,
): Promise<unknown> {
  const { body } = await batch(fullPath, by?.token, operation, [object])
  const [{ actions, error }] = body.objects
  return error?.code ?? Object.keys(actions ?? {})[0] ?? 'there'
}

/** Lets so many projects have an object, whose numbers follow another one, for the time of a test. */
async function alsoIn(first: number, object: LfsObject, number: number): Promise<void> {
  const has = sql`select id, size from files where sha256 = ${Buffer.from(object.oid, 'hex')}`
  await fillTables(w, (db) =>
    sql`insert into lfs_objects (project_id, file_id, size, created_at)
      select ${first}::bigint + n, f.id, f.size, now() from (${has}) f, generate_series(1, ${number}::integer) as n`.execute(
      db,
    ),
  )
  onTestFinished(async () => {
    await fillTables(w, (db) =>
      sql`delete from lfs_objects where project_id > ${first} and project_id <= ${first + number}`.execute(
        db,
      ),
    )
  })
}

describe('what merge requests bring from forks', () => {
  let at: Awaited<ReturnType<typeof forked>>
  beforeAll(async () => {
    at = await forked()
  })

  test('is given to the project when it is asked for, however many others have it', async () => {
    const { project, work, fork, author } = at
    const object = lfsObject(unique('from a fork'))
    const elsewhere = await w.project()
    await upload(elsewhere.fullPath, elsewhere.developer.token, object)
    await alsoIn(9_000_000_000, object, 150)
    await upload(fork.fullPath, author.token, object)
    const wanted = () => offered(project, undefined, 'download', object)
    expect(await wanted()).toBe(404)
    await work.commit({ 'large.bin': object.pointer })
    await work.run('push', '--quiet', urlWith(author.token, fork.fullPath), 'large')
    const { status, body: opened } = await author.post(`/projects/${fork.id}/merge_requests`, {
      title: 'Large',
      source_branch: 'large',
      target_branch: 'main',
      target_project_id: project.id,
    })
    expect(status).toBe(201)
    expect(await wanted()).toBe('download')
    // It is counted once, in the fork.
    const { statistics } = (await w.root.get(`/projects/${project.id}?statistics=true`)).body
    expect(statistics.lfs_objects_size).toBe(0)
    const later = lfsObject(unique('after it was closed'))
    await upload(fork.fullPath, author.token, later)
    await project.owner.put(`/projects/${project.id}/merge_requests/${opened.iid}`, { state_event: 'close' })
    expect(await offered(project, undefined, 'download', later)).toBe(404)
    await project.owner.put(`/projects/${project.id}/merge_requests/${opened.iid}`, { state_event: 'reopen' })
    expect(await offered(project, undefined, 'download', later)).toBe('download')
  })

  test('may come from another fork of the same project', async () => {
    const { project, work, author, fork } = at
    const other = await forkOf(project.developer, project)
    const object = lfsObject(unique('from a fork beside it'))
    await upload(other.fullPath, project.developer.token, object)
    await work.run('checkout', '--quiet', '-B', 'beside', 'main')
    await work.commit({ 'beside.bin': object.pointer })
    await work.run('push', '--quiet', urlWith(project.developer.token, other.fullPath), 'beside')
    const wanted = () => offered(fork, undefined, 'download', object)
    expect(await wanted()).toBe(404)
    const { status } = await project.developer.post(`/projects/${other.id}/merge_requests`, {
      title: 'Beside',
      source_branch: 'beside',
      target_branch: 'main',
      target_project_id: fork.id,
    })
    expect(status).toBe(201)
    expect(await wanted()).toBe('download')
    expect(await offered(fork, author, 'upload', object)).toBe('there')
  })
})

describe('what the source of a fork has', () => {
  test('is given to the fork when somebody pushes there who may read the source', async () => {
    const { project, work, fork, author } = await forked()
    const [pushed, uploaded, foreign] = [
      lfsObject(unique('pushed')),
      lfsObject(unique('uploaded')),
      lfsObject(unique('of nobody here')),
    ]
    await upload(project.fullPath, project.developer.token, pushed)
    await upload(project.fullPath, project.developer.token, uploaded)
    const elsewhere = await w.project({ visibility: 'public' })
    await upload(elsewhere.fullPath, elsewhere.developer.token, foreign)
    // Whoever reads changes nothing.
    expect(await offered(fork, author, 'download', uploaded)).toBe(404)
    expect(await offered(fork, author, 'upload', uploaded)).toBe('there')
    expect(await offered(fork, author, 'upload', foreign)).toBe('upload')
    await work.commit({ 'large.bin': pushed.pointer })
    await work.run('push', '--quiet', urlWith(author.token, fork.fullPath), 'large')
    expect(await offered(fork, undefined, 'download', pushed)).toBe('download')
  })

  test('is not told to those who may not read it there', async () => {
    const project = await w.project()
    const fork = await forkOf(project.developer, await withCode(project))
    const object = lfsObject(unique('secret'))
    await upload(project.fullPath, project.developer.token, object)
    await project.developer.post(`/projects/${fork.id}/members`, {
      user_id: project.stranger.id,
      access_level: 40,
    })
    expect(await offered(fork, project.stranger, 'upload', object)).toBe('upload')
    expect(await offered(fork, project.developer, 'upload', object)).toBe('there')
  })
})

/** Commits to a project without git. */
async function withCode(project: Awaited<ReturnType<typeof w.project>>) {
  await project.maintainer.post(`/projects/${project.id}/repository/files/a`, {
    branch: 'main',
    content: 'a',
    commit_message: 'Add a',
  })
  return project
}
