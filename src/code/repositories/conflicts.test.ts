import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Place } from '#test/world.ts'
import { giveSample } from '#test/repositories.ts'
import { lockWaiters } from '#test/lock-waiters.ts'
import { w } from '#test/world.ts'

// Somebody else changes a reference between the moment when a request reads it and the moment when it changes it.

type Ask = (project: Place, path: string) => Promise<{ status: number; body: { message: string } }>

/** Asks for something, and moves `ref` from one commit to another after the request has read it. */
async function overtaken(ref: string, ask: Ask, { from = 'main', to = 'main~1' } = {}) {
  const project = await w.project()
  const repository = await giveSample(project)
  const move = (target: string) => repository.git.capture(repository, ['update-ref', ref, target])
  await move(from)
  let answer: ReturnType<Ask> | undefined
  await w.db.transaction().execute(async (db) => {
    // What a request is about to change is written down first, and refers to this row.
    await sql`select from repositories where id = ${repository.id} for update`.execute(db)
    answer = ask(project, `/projects/${project.id}/repository`)
    await lockWaiters(1)
    await move(to)
  })
  return answer
}

const branch = 'side'
const body = { branch, commit_message: 'Late', content: 'late' }
const actions = [{ action: 'create', file_path: 'new.txt', content: 'late' }]
const onBranch: readonly [string, Ask][] = [
  ['delete a branch', ({ developer }, path) => developer.delete(`${path}/branches/side`)],
  ['create a file', ({ developer }, path) => developer.post(`${path}/files/new.txt`, body)],
  ['update a file', ({ developer }, path) => developer.put(`${path}/files/README.md`, body)],
  ['delete a file', ({ developer }, path) => developer.delete(`${path}/files/README.md`, body)],
  ['commit', ({ developer }, path) => developer.post(`${path}/commits`, { ...body, actions })],
  ['revert a commit', ({ developer }, path) => developer.post(`${path}/commits/main/revert`, { branch })],
]
const refusal = [409, { message: '409 Conflict - somebody else has changed it meanwhile; fetch first' }]

test.each(onBranch)('to %s is refused when somebody else was faster', async (_, ask) => {
  const answer = await overtaken('refs/heads/side', ask)
  expect([answer?.status, answer?.body]).toEqual(refusal)
})

test('to cherry-pick a commit is refused when somebody else was faster', async () => {
  const pick: Ask = ({ developer }, path) => developer.post(`${path}/commits/main/cherry_pick`, { branch })
  const answer = await overtaken('refs/heads/side', pick, { from: 'main~1', to: 'main' })
  expect([answer?.status, answer?.body]).toEqual(refusal)
})

test('to delete a tag is refused when somebody else was faster', async () => {
  const answer = await overtaken('refs/tags/v1', ({ maintainer }, path) =>
    maintainer.delete(`${path}/tags/v1`),
  )
  expect([answer?.status, answer?.body]).toEqual(refusal)
})

test('a tag cannot exist beside one that its name begins with', async () => {
  const project = await w.project()
  const repository = await giveSample(project)
  await repository.git.capture(repository, ['update-ref', 'refs/tags/v1', 'main'])
  const tag = { tag_name: 'v1/a', ref: 'main' }
  const { status, body: answer } = await project.maintainer.post(
    `/projects/${project.id}/repository/tags`,
    tag,
  )
  expect([status, answer.message]).toEqual([409, '409 Conflict - the name cannot exist beside refs/tags/v1'])
})
