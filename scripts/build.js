// @ts-check
// Builds the program that `npm start` runs: build/HASH, where HASH stands for the present sources. Run by `npm ci`, and by
// `npm start` when that build is missing. Older versions of Node.js, which cannot build, pass by it without harm.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { builds, canBuild, currentBuild, isBuilt } from './built.js'

/** The current one, and one that a running program may still read. */
const KEPT = 2

/** @param {string} target */
async function build(target) {
  const draft = join(builds, `draft-${process.pid}`)
  try {
    mkdirSync(builds, { recursive: true })
    const { bundle } = await import('./bundle.ts')
    await bundle(draft)
    renameSync(draft, target)
    removeOld()
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (isBuilt(target)) return // Somebody else was faster.
    console.error(`The program is not built, so its sources run, which takes longer: ${String(error)}`)
  }
}

function removeOld() {
  const found = readdirSync(builds)
    .filter((name) => !name.startsWith('draft-'))
    .map((name) => ({ path: join(builds, name), time: statSync(join(builds, name)).mtimeMs }))
    .toSorted((one, other) => other.time - one.time)
  for (const { path } of found.slice(KEPT)) rmSync(path, { recursive: true, force: true })
}

const target = currentBuild()
if (!isBuilt(target) && canBuild()) await build(target)
