import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { lockWaiters } from '#test/lock-waiters.ts'
import { w } from '#test/world.ts'
import { suggestible } from './test-support.ts'

test.each(['apply', 'batch_apply'])('%s is refused when the branch moves meanwhile', async (verb) => {
  const p = await suggestible()
  const { id, apply, discussion } = await p.suggest(p.reporter, 3, 'better\n')
  const repository = await w.running.services.repositories.ofProject(p.id)
  if (repository === undefined) throw new Error('The project has no repository.')
  const ask = () =>
    verb === 'apply' ? p.developer.put(apply) : p.developer.put('/suggestions/batch_apply', { ids: [id] })
  let answer: ReturnType<typeof ask> | undefined
  await w.db.transaction().execute(async (db) => {
    // What a request is about to change is written down first, and refers to this row.
    await sql`select from repositories where id = ${repository.id} for update`.execute(db)
    answer = ask()
    await lockWaiters(1)
    await repository.git.capture(repository, ['update-ref', 'refs/heads/feature', 'feature~1'])
  })
  expect(await answer).toMatchObject({
    status: 409,
    body: {
      message: '409 Conflict - the source branch or the suggestions have changed meanwhile. Look again.',
    },
  })
  expect(await p.suggestionsOf(discussion)).toMatchObject([{ applied: false }])
})
