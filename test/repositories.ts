import { cp, mkdir, mkdtemp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inject } from 'vitest'
import { readObject } from '#code/git/objects.ts'
import { checkRepositories, type Fault } from '#code/repositories/check.ts'
import { insertRepository } from '#code/repositories/make-repository.ts'
import { requestedCommit } from '#code/repositories/requested.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { summaryOf } from '#code/repositories/summary.ts'
import { w, type World } from './world.ts'

type Stream = string | Buffer | AsyncIterable<string | Buffer>

/** Puts what `git fast-import` reads into the repository of a project: any number of commits in one process. */
export async function importInto(
  project: { readonly id: number },
  stream: Stream,
  world: World = w,
): Promise<StoredRepository> {
  const { repositories } = world.running.services
  const repository = await repositories.ensure({ kind: 'project', project: project.id })
  const args = ['fast-import', '--quiet', '--force', '--done']
  await repository.git.capture(repository, args, { input: ended(stream), lane: 'write', time: 120_000 })
  return summarize(repository, world)
}

async function* ended(stream: Stream): AsyncGenerator<string | Buffer> {
  if (typeof stream === 'string' || Buffer.isBuffer(stream)) yield stream
  else yield* stream
  yield 'done\n'
}

/**
 * What `forgelet check repositories` finds. It looks at all repositories of a world, so it takes a world of its own: in that
 * of the worker, other files have left hundreds.
 */
export async function repositoryFaults(world: World, repair = false): Promise<Fault[]> {
  const faults: Fault[] = []
  const { signal } = new AbortController()
  const onFault = (fault: Fault) => void faults.push(fault)
  await checkRepositories(world.running.services.repositories, { repair, signal, onFault })
  return faults
}

/** Writes down what a repository has, after something changed it behind the program's back. */
export async function summarize(repository: StoredRepository, world: World = w): Promise<StoredRepository> {
  const summary = await summaryOf(repository, repository.row)
  const row = { ...repository.row, ...summary }
  await world.db.updateTable('repositories').set(summary).where('id', '=', row.id).execute()
  return { ...repository, row }
}

/** A file of a commit: its content, or what `M` of `git fast-import` says of it. */
export type ImportedFile = string | Buffer | { readonly mode: string; readonly data: string | Buffer }

export interface ImportedCommit {
  readonly branch?: string
  readonly message?: string
  readonly author?: string
  /** `Name <address>`; by default the author. */
  readonly committer?: string
  /** Seconds since 1970 and a zone. */
  readonly at?: string
  /** By their paths; null removes one. */
  readonly files?: Readonly<Record<string, ImportedFile | null>>
  /** What it merges: a branch or an id. */
  readonly merges?: string
}

let time = 1_767_225_600

/** The stream for some commits, each on top of the one before on its branch. */
export function commits(...all: readonly ImportedCommit[]): Buffer {
  const pieces: (string | Buffer)[] = []
  const data = (value: string | Buffer) => {
    const bytes = Buffer.from(value)
    pieces.push(`data ${bytes.length}\n`, bytes, '\n')
  }
  for (const one of all) {
    const { branch = 'main', message = 'Change files', author = 'Ada <ada@example.com>', files = {} } = one
    const { committer = author, at = `${(time += 60)} +0000`, merges } = one
    pieces.push(`commit refs/heads/${branch}\nauthor ${author} ${at}\ncommitter ${committer} ${at}\n`)
    data(message)
    if (merges !== undefined) pieces.push(`merge ${merges}\n`)
    for (const [path, file] of Object.entries(files)) {
      if (file === null) {
        pieces.push(`D ${quoted(path)}\n`)
        continue
      }
      const { mode, data: content } =
        typeof file === 'string' || Buffer.isBuffer(file) ? { mode: '100644', data: file } : file
      if (mode === '160000') {
        pieces.push(`M 160000 ${content.toString()} ${quoted(path)}\n`)
        continue
      }
      pieces.push(`M ${mode} inline ${quoted(path)}\n`)
      data(content)
    }
    pieces.push('\n')
  }
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece)))
}

/** A path as git quotes it. Its characters below 256 stand for single bytes. */
const quoted = (path: string): string =>
  `"${path.replaceAll(/["\\\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`))}"`

async function makeSample(): Promise<StoredRepository> {
  const stream = commits(
    { files: { 'README.md': '# Sample\n', 'src/main.ts': 'export {}\n' }, message: 'Begin' },
    { files: { 'README.md': '# Sample\n\nMore.\n' }, message: 'Say more' },
  )
  const repository = await importInto(await w.project(), stream)
  await addSignedCommit(repository, 'signed')
  return frozen(await summarize(repository))
}

/** Tags a commit like the last one of `main` that has a signature, which nobody can verify. @returns its id */
export async function addSignedCommit(repository: StoredRepository, tag: string): Promise<string> {
  const main = await requestedCommit(repository, 'main')
  const content = (await readObject(repository, main ?? ''))?.content.toString() ?? ''
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----\n'
  const signed = content.replace(/\n\n/, `\n${signature}\n`)
  const { git } = repository
  const id = await git.text(repository, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input: signed })
  await git.capture(repository, ['update-ref', `refs/tags/${tag}`, id.trim()])
  return id.trim()
}

let sample: Promise<StoredRepository> | undefined

/**
 * Gives a project a small repository with a branch `main`, with `README.md` and `src/main.ts` in two commits, and with
 * a tag `signed`.
 */
export const giveSample = (project: { readonly id: number }): Promise<StoredRepository> =>
  giveCopy(project, (sample ??= makeSample()))

let branched: Promise<StoredRepository> | undefined

async function makeBranched(): Promise<StoredRepository> {
  const from = (branch: string) => Buffer.from(`reset refs/heads/${branch}\nfrom refs/heads/main\n\n`)
  const stream = Buffer.concat([
    commits({ files: { 'README.md': '# Sample\n', 'a.txt': 'one\ntwo\nthree\n' }, message: 'Begin' }),
    from('feature'),
    commits(
      {
        branch: 'feature',
        files: { 'a.txt': 'one\nTWO\nthree\n', 'b.txt': 'b\n' },
        message: 'Say it aloud',
      },
      { branch: 'feature', files: { 'c.txt': 'c\n' }, message: 'Add c\n\nIt was missing.' },
    ),
    from('clash'),
    commits(
      { branch: 'clash', files: { 'a.txt': 'one\nzwei\nthree\n' }, message: 'Say it in German' },
      { files: { 'd.txt': 'd\n' }, message: 'Add d' },
    ),
  ])
  return frozen(await importInto(await w.project(), stream))
}

/**
 * Gives a project a repository with a branch `main` of two commits; `feature` with two commits that `main` lacks and that
 * can be merged; and `clash`, which conflicts with `feature`.
 */
export const giveBranches = (project: { readonly id: number }, world: World = w): Promise<StoredRepository> =>
  giveCopy(project, (branched ??= makeBranched()), world)

/** A copy that no housekeeping touches, to make others of. */
async function frozen(repository: StoredRepository): Promise<StoredRepository> {
  const folder = await mkdtemp(join(inject('dataDir'), 'sample-'))
  await cp(repository.folder, folder, { recursive: true })
  return { ...repository, folder }
}

/** Copies a repository, so that it takes no process. */
async function giveCopy(
  { id }: { readonly id: number },
  original: Promise<StoredRepository>,
  world: World = w,
): Promise<StoredRepository> {
  const from = await original
  const { repositories, clock } = world.running.services
  const row = await world.write((tx) =>
    insertRepository(tx, { kind: 'project', project: id }, from.row.storage),
  )
  const { folder } = await repositories.locationOf(row)
  await mkdir(dirname(folder), { recursive: true })
  await cp(from.folder, folder, { recursive: true })
  const made_at = clock.now().toISOString()
  const { default_branch, last_commit_sha, last_commit_at, last_tag, last_tag_at } = from.row
  const { commit_count, branch_count, tag_count, size } = from.row
  const tips = { default_branch, last_commit_sha, last_commit_at, last_tag, last_tag_at }
  // Housekeeping comes after so many changes; it would meet the next copy to the same place.
  const counts = { commit_count, branch_count, tag_count, size, changes_since_maintenance: 0 }
  const summary = { ...tips, ...counts, made_at }
  await world.db.updateTable('repositories').set(summary).where('id', '=', row.id).execute()
  return repositories.open({ ...row, ...summary })
}
