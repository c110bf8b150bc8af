import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { commitFiles } from '#code/repositories/test-support.ts'
import { keepObject } from './keep-object.ts'
import { KEPT } from './names.ts'
import { readReferences } from './references.ts'

async function repositoryOf(...contents: readonly string[]) {
  const { repositories } = w.running.services
  const project = await w.project()
  const repository = await repositories.ensure({ kind: 'project', project: project.id })
  const ids: string[] = []
  for (const a of contents) ids.push(await commitFiles(repositories, repository, { a }))
  return { repository, ids, kept: () => repository.git.text(repository, ['for-each-ref', KEPT]) }
}

test('many who keep the same at once make one reference, which git reads, checks and packs', async () => {
  const { repository, ids, kept } = await repositoryOf('1', '2')
  const [first = '', second = ''] = ids
  await Promise.all([
    ...Array.from({ length: 8 }, () => keepObject(repository, first)),
    repository.git.capture(repository, ['pack-refs', '--all', '--prune'], { lane: 'keep' }),
    keepObject(repository, second),
  ])
  const lines = [first, second].toSorted().map((id) => `${id} commit\t${KEPT}${id}\n`)
  expect(await kept()).toBe(lines.join(''))
  await repository.git.capture(repository, ['pack-refs', '--all', '--prune'], { lane: 'keep' })
  await keepObject(repository, first)
  expect(await kept()).toBe(lines.join(''))
  expect((await readReferences(repository, [KEPT + second])).get(KEPT + second)).toBe(second)
  await repository.git.capture(repository, ['fsck', '--strict'], { lane: 'keep' })
  const left = (await readdir(join(repository.folder, 'objects'))).filter((name) => name.startsWith('tmp_'))
  expect(left).toEqual([])
})

test('what is not there is not kept, and nothing is made where a repository was', async () => {
  const { repository, ids, kept } = await repositoryOf('1')
  const [id = ''] = ids
  await expect(keepObject(repository, '1'.repeat(40))).rejects.toThrow('no object')
  expect(await kept()).toBe('')
  // The long-lived reader has the folder open still, and finds the object.
  await rm(join(repository.folder, 'refs'), { recursive: true })
  await expect(keepObject(repository, id)).rejects.toMatchObject({ kind: 'busy' })
  await rm(repository.folder, { recursive: true })
  await expect(keepObject(repository, id)).rejects.toMatchObject({ kind: 'busy' })
  await expect(readdir(repository.folder)).rejects.toThrow('ENOENT')
})
