import { expect, it, vi } from 'vitest'
import { commitFiles, type Files } from '#code/repositories/test-support.ts'
import { currentCaller, onBehalfOf } from '#platform/shares/caller.ts'
import { w } from '#test/world.ts'
import { listChanges } from './changed-files.ts'
import { countChangedFiles } from './count-files.ts'

const text = 'A text that is long enough to be known again.\n'.repeat(5)
const many = (count: number, content: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`many/${index}/file`, content]))

const changes: readonly (readonly [what: string, files: Files, processes: number])[] = [
  ['changed files in folders', { 'a/b/c': '2', 'a/d': '2' }, 0],
  ['new files, and new folders', { 'new/folder/e': '1', f: '1', 'a/d': '3' }, 0],
  ['files and folders that go', { f: null, 'new/folder/e': null }, 0],
  ['a file that is renamed', { moved: null, 'a/moved': text }, 1],
  ['a file that becomes a folder', { 'a/d': null, 'a/d/e': text }, 1],
  ['many folders', many(250, '1'), 1],
]

it('counts what differs as git does, and starts a process for few', async () => {
  const { repositories } = w.running.services
  const { id } = await w.project()
  const repository = await repositories.ensure({ kind: 'project', project: id })
  let before = await commitFiles(repositories, repository, { 'a/b/c': '1', 'a/d': '1', moved: text })
  // Watched where they start, and for whom: the one that is asked for the truth ends at any moment, and jobs look at this repository too.
  const start = repositories.git.start.bind(repositories.git)
  let startedHere = 0
  const starting = vi.spyOn(repositories.git, 'start').mockImplementation((...call) => {
    if (currentCaller() === 'the test') startedHere += 1
    return start(...call)
  })
  for (const [what, files, processes] of changes) {
    const after = await commitFiles(repositories, repository, files)
    startedHere = 0
    const counted = await onBehalfOf(
      () => 'the test',
      () => countChangedFiles(repository, before, after, 1_000),
    )
    const started = startedHere
    const { total } = await listChanges(repository, before, after, { keep: 0 })
    expect([what, counted, started]).toEqual([what, total, processes])
    expect(await countChangedFiles(repository, before, after, 1)).toBe(Math.min(total, 2))
    before = after
  }
  starting.mockRestore()
})
