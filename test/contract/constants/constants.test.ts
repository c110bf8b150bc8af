import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { constants } from './constants.ts'
import { findConstants } from './find-constants.ts'

// A field that is always empty says what is not so as soon as there is something to say. Each has a reason in
// constants.ts, so that "not yet" ends with the feature that it waits for.

test('every field that answers and payloads fill with an empty constant has one reason, and no reason is left over', () => {
  const listed = Object.values(constants).flat()
  expect(listed.filter((one, index) => listed.indexOf(one) !== index)).toEqual([])
  const found = findConstants(new URL('../../../src/', import.meta.url))
  const known = new Set(listed)
  expect({ withoutReason: found.filter((one) => !known.has(one)) }).toEqual({ withoutReason: [] })
  const there = new Set(found)
  expect({ leftOver: listed.filter((one) => !there.has(one)) }).toEqual({ leftOver: [] })
})

test('constants are found in presenters, and neither in schemas nor elsewhere', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'constants-'))
  const source = `
    export const Thing = entity('Thing', { forks: Type.Integer({ minimum: 0 }) })
    const empty: { forks: null } = { forks: 0, names: [] as string[], kind: 'thing' }
    export const presentThing = (row: Row) => ({ ...row, license: null, forks: row.forks ?? 0, size: row.size })
    function count() { return { total: 0 } }`
  await writeFile(join(folder, 'entity.ts'), source)
  await writeFile(join(folder, 'thing.ts'), source)
  expect(findConstants(pathToFileURL(`${folder}/`))).toEqual([
    'entity: forks 0',
    'entity: names []',
    'entity: license null',
    'entity: total 0',
    'thing: license null',
  ])
})
