// @ts-check
// Builds the program that `npm start` runs: build/HASH, where HASH stands for the present sources. Run by `npm ci`, and by
// `npm start` when that build is missing. With --warm it also runs the program for a moment, so that Node.js keeps its
// compiled code, which makes the first start as fast as later ones. Older versions of Node.js, which cannot build, pass by it without harm.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builds, canBuild, currentBuild, isBuilt } from './built.js'

/** The current one, and one that a running program may still read. */
const KEPT = 2

/** Milliseconds that a warm start may take. */
const PATIENCE = 20_000

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

/** Starts an ephemeral server and stops it. Where that is impossible, the first real start says why. */
function warm() {
  const script = fileURLToPath(new URL('start.js', import.meta.url))
  const child = spawn(process.execPath, [script, '--ephemeral'], {
    env: { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'], FORGELET_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  child.stdout.setEncoding('utf8').on('data', (text) => {
    if (text.includes('ready on ')) child.kill()
  })
  setTimeout(() => child.kill(), PATIENCE).unref()
}

const target = currentBuild()
if (!isBuilt(target) && canBuild()) await build(target)
if (process.argv.includes('--warm') && isBuilt(target)) warm()
