import { describe, expect, test } from 'vitest'
import { commits, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'
import { pageOfTree, type EntryMark } from './tree-page.ts'

const same = 'the same everywhere\n'

async function repository() {
  const files = {
    'b.txt': same,
    'a.txt': same,
    'z/deep/c.txt': same,
    'z/d.txt': 'd\n',
    link: { mode: '120000', data: '../outside' },
    module: { mode: '160000', data: '1'.repeat(40) },
    'tool.sh': { mode: '100755', data: '#!/bin/sh\n' },
  }
  return importInto(await w.project(), commits({ files }))
}

describe('pages of a tree', () => {
  test('folders come first, then files, then submodules', async () => {
    const found = await repository()
    const page = await pageOfTree(found, 'main', { recursive: false, skip: 0, limit: 20 })
    expect(page?.entries.map(({ path, type, mode }) => `${mode} ${type} ${path}`)).toEqual([
      '040000 tree z',
      '100644 blob a.txt',
      '100644 blob b.txt',
      '120000 blob link',
      '100755 blob tool.sh',
      '160000 commit module',
    ])
    expect(page).toMatchObject({ more: false, total: 6, isLost: false })
  })

  test.each([true, false])('marks lead through the whole list (recursive: %s)', async (recursive) => {
    const found = await repository()
    const all = await pageOfTree(found, 'main', { recursive, skip: 0, limit: 100 })
    expect(all?.entries).toHaveLength(recursive ? 9 : 6)
    const paths: string[] = []
    let after: EntryMark | undefined
    for (let more = true; more;) {
      const page = await pageOfTree(found, 'main', { recursive, skip: 0, limit: 2, ...(after && { after }) })
      paths.push(...(page?.entries.map(({ path }) => path) ?? []))
      more = page?.more ?? false
      after = page?.last
    }
    expect(paths).toEqual(all?.entries.map(({ path }) => path))
  })

  test('a mark that is not there is told, and so is a folder', async () => {
    const found = await repository()
    const after = { id: 'a'.repeat(40), earlier: 0 }
    for (const recursive of [true, false]) {
      const options = { recursive, skip: 0, limit: 2 }
      expect(await pageOfTree(found, 'main', { ...options, after })).toMatchObject({
        isLost: true,
        entries: [],
      })
      for (const path of ['nowhere', 'a.txt', '../x', 'module']) {
        expect(await pageOfTree(found, 'main', { ...options, path })).toBeUndefined()
      }
    }
  })

  test('a page ends early, and still counts as far as it is told', async () => {
    const files = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`d/${index}.txt`, 'x']))
    const found = await importInto(await w.project(), commits({ files }))
    for (const recursive of [true, false]) {
      const page = await pageOfTree(found, 'main', { recursive, path: 'd', skip: 5, limit: 10, count: 30 })
      expect(page).toMatchObject({ more: true, total: 31 })
      expect(page?.entries).toHaveLength(10)
    }
  })
})
