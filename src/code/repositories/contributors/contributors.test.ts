import { expect, test } from 'vitest'
import { commits, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'

test('lists who wrote how many commits', async () => {
  const { id, reporter } = await w.project()
  const by = (author: string, branch = 'main') => ({ author, branch, files: { a: author + Math.random() } })
  await importInto(
    { id },
    commits(
      by('Ada <ada@example.com>'),
      by('Ada Lovelace <ada@example.com>'),
      by('Ada Lovelace <ada@example.com>'),
      by('Zoë <zoe@example.com>'),
      by('Bob <bob@example.com>'),
      by('Bob <bob@example.com>'),
      by('Eve <eve@example.com>', 'other'),
    ),
  )
  const path = `/projects/${id}/repository/contributors`
  const names = async (query = '') =>
    (await reporter.get(`${path}${query}`)).body.map((one: { name: string }) => one.name)
  expect((await reporter.get(path)).body[0]).toEqual({
    name: 'Zoë',
    email: 'zoe@example.com',
    commits: 1,
    additions: 0,
    deletions: 0,
  })
  expect(await names()).toEqual(['Zoë', 'Bob', 'Ada Lovelace'])
  expect(await names('?sort=desc')).toEqual(['Ada Lovelace', 'Bob', 'Zoë'])
  expect(await names('?order_by=name')).toEqual(['Ada Lovelace', 'Bob', 'Zoë'])
  expect(await names('?order_by=email&sort=desc')).toEqual(['Zoë', 'Bob', 'Ada Lovelace'])
  expect(await names('?ref=other')).toEqual(['Eve'])
  expect(await names('?per_page=1&page=2')).toEqual(['Bob'])
  expect((await reporter.get(path)).headers.get('x-total')).toBe('3')
  expect((await reporter.get(`${path}?ref=nowhere`)).status).toBe(404)
})
