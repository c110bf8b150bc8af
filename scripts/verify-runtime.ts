// Is the pinned Node.js, which comes from packages of a third party, the one that the Node project released? Is the
// embedded PostgreSQL the one that was recorded?
//
//   node scripts/verify-runtime.ts                 what is installed against the record, offline
//   node scripts/verify-runtime.ts record          after an update: records the binaries of the locked packages
//   node scripts/verify-runtime.ts compare SHASUMS [FOLDER]
//                                                  those against the project's signed checksums: a SHASUMS256.txt.asc
//                                                  (or .txt, unsigned) as file or URL; the archives beside it or in FOLDER
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import {
  databases,
  differences,
  fileIn,
  problemsOfInstalled,
  readRecord,
  readShasums,
  readSigned,
  type Runtime,
  runtimes,
  sha256,
  sha256OfFolder,
  writeRecord,
} from './runtime-checksums.ts'

const root = join(import.meta.dirname, '..')

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>
}

function end(problems: readonly string[], good: string): never {
  for (const problem of problems) console.error(problem)
  if (problems.length === 0) console.log(good)
  process.exit(problems.length === 0 ? 0 : 1)
}

/** The file of a package as it is locked, fetched with npm. */
function lockedPackage(name: string, lock: Lock, folder: string): string {
  const locked = lock.packages[`node_modules/${name}`]
  if (locked === undefined) throw new Error(`${name} is not in package-lock.json`)
  const args = ['pack', `${name}@${locked.version}`, '--silent', '--pack-destination', folder]
  const file = join(folder, execFileSync('npm', args, { encoding: 'utf8' }).trim())
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  if (integrity !== locked.integrity) throw new Error(`${name} is not what package-lock.json says`)
  return file
}

/** The checksum of the binary in the package that is locked. */
function lockedBinary({ name, binary }: Runtime, lock: Lock, folder: string): [name: string, sum: string] {
  const file = lockedPackage(name, lock, folder)
  const sum = sha256(fileIn(file, `package/${binary}`))
  rmSync(file)
  return [name, sum]
}

/** The checksum of all that is in the package that is locked. */
function lockedContent(name: string, lock: Lock, folder: string): [name: string, sum: string] {
  const file = lockedPackage(name, lock, folder)
  const content = mkdtempSync(join(folder, 'content-'))
  execFileSync('tar', ['-xzf', file, '-C', content, '--strip-components=1'])
  const sum = sha256OfFolder(content)
  rmSync(content, { recursive: true })
  rmSync(file)
  return [name, sum]
}

function versionOf(names: readonly string[], lock: Lock): string {
  const [version, ...others] = new Set(names.map((name) => lock.packages[`node_modules/${name}`]?.version))
  if (version === undefined || others.length > 0)
    throw new Error(`${names.join(', ')} are locked in several versions`)
  return version
}

/** What was compared stays so where nothing has changed. */
function record(folder: string): void {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const known = readRecord()
  const binaries = Object.fromEntries(runtimes.map((runtime) => lockedBinary(runtime, lock, folder)))
  const packages = Object.fromEntries(databases.map((name) => lockedContent(name, lock, folder)))
  const same = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other)
  const { postgresql } = known
  writeRecord({
    version: versionOf(
      runtimes.map(({ name }) => name),
      lock,
    ),
    compared: same(binaries, known.binaries) ? known.compared : null,
    binaries,
    postgresql: {
      version: versionOf(databases, lock),
      compared: same(packages, postgresql.packages) ? postgresql.compared : null,
      packages,
    },
  })
  console.log('Recorded. Compare Node.js with the checksums of its project next, where it has changed.')
}

async function compare(shasums: string, archives: string | undefined, folder: string): Promise<never> {
  const isUrl = shasums.startsWith('https://')
  const file = isUrl ? await download(shasums, folder) : shasums
  const known = readRecord()
  if (isUrl && archives === undefined) {
    for (const { archive } of runtimes) {
      if (archive === undefined) continue
      await download(new URL(`node-v${known.version}-${archive}`, shasums).href, folder)
    }
  }
  const { text, signedBy } = file.endsWith('.asc')
    ? readSigned(file)
    : { text: readFileSync(file, 'utf8'), signedBy: null }
  const problems = differences(known, readShasums(text), archives ?? dirname(file))
  if (problems.length === 0)
    writeRecord({ ...known, compared: { with: isUrl ? shasums : basename(file), signedBy } })
  return end(
    problems,
    `Node.js ${known.version} is what the Node project released${signedBy === null ? ', unsigned' : ''}.`,
  )
}

async function download(url: string, folder: string): Promise<string> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  const path = join(folder, basename(new URL(url).pathname))
  writeFileSync(path, Buffer.from(await answer.arrayBuffer()))
  return path
}

const [command, shasums, archives] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'verify-runtime-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
if (command === undefined) {
  const known = readRecord()
  end(
    problemsOfInstalled(known, join(root, 'node_modules')),
    `The installed Node.js ${known.version} and PostgreSQL ${known.postgresql.version} are the recorded ones.`,
  )
} else if (command === 'record') record(folder)
else if (command === 'compare' && shasums !== undefined && (archives === undefined || existsSync(archives))) {
  await compare(shasums, archives, folder)
} else {
  console.error('usage: node scripts/verify-runtime.ts [record | compare SHASUMS256.txt.asc [FOLDER]]')
  process.exit(2)
}
