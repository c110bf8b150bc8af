import { Gitlab } from '@gitbeaker/rest'
import { expect, test } from 'vitest'
import { codeWith, suggestible } from '#code/merge-requests/suggestions/test-support.ts'
import { w } from '#test/world.ts'

test('@gitbeaker/rest applies suggestions, one and several', async () => {
  const p = await suggestible()
  const api = new Gitlab({ host: w.url, token: p.developer.token })
  const [one, two, three] = [
    await p.suggest(p.reporter, 1, 'one\n'),
    await p.suggest(p.reporter, 2, 'two\n'),
    await p.suggest(p.reporter, 3, 'three\n'),
  ]
  const applied = await api.Suggestions.edit(one.id, { commitMessage: 'The first' })
  expect(applied).toMatchObject({ id: one.id, applied: true, appliable: false })
  expect((await p.tip()).message).toBe('The first')
  const both = await api.Suggestions.editBatch([two.id, three.id])
  expect(both).toMatchObject([
    { id: two.id, applied: true },
    { id: three.id, applied: true },
  ])
  expect(await p.fileNow()).toBe(codeWith({ 1: 'one\n', 2: 'two\n', 3: 'three\n' }))
})
