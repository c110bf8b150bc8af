import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { StoredFile } from '#platform/files/files.ts'
import type { Repository } from '#code/git/repository.ts'
import { POINTER_SIZES, pointersAmong } from './pointers.ts'
import { objectsOf } from './queries.ts'
import { withObjects } from './tar-objects.ts'

/** Objects that one statement looks up. */
const AT_ONCE = 1_000
/** Pointers of a commit that are replaced at most. */
const MOST = 100_000

/**
 * What puts the LFS objects of the requested project into a tar archive of a commit.
 * @returns undefined when the project has no objects, of which git is not asked then
 */
export async function replacerOf(
  req: FastifyRequest,
  repository: Repository,
  commit: string,
  signal: AbortSignal,
): Promise<((tar: Readable) => Readable) | undefined> {
  const { db, files } = req.server.services
  const { id } = req.project().container
  const any = await db
    .selectFrom('lfs_objects')
    .select('file_id')
    .where('project_id', '=', id)
    .limit(1)
    .execute()
  if (any.length === 0) return undefined
  const pointers = await pointersAmong(repository, await smallBlobs(repository, commit, signal), signal)
  const oids = [...new Set(pointers.map(({ oid }) => oid))]
  const found = new Map<string, StoredFile>()
  for (let at = 0; at < oids.length; at += AT_ONCE)
    for (const [oid, file] of await objectsOf(db, id, oids.slice(at, at + AT_ONCE))) found.set(oid, file)
  return (tar) => withObjects(tar, { files: found, open: (file) => files.read(file) })
}

/** The files of a commit that are as large as pointers. */
async function smallBlobs(repository: Repository, commit: string, signal: AbortSignal): Promise<string[]> {
  const args = ['ls-tree', '-r', '-l', '-z', commit]
  const process = await repository.git.start(repository, args, { time: 30_000, signal })
  process.stdin.end()
  const ids: string[] = []
  let rest = ''
  for await (const piece of process.output()) {
    const entries = (rest + piece.toString('latin1')).split('\0')
    rest = entries.pop() ?? ''
    for (const entry of entries) {
      const [, id = '', size] = /^\d+ blob ([0-9a-f]+) +(\d+)\t/.exec(entry) ?? []
      const isSmall = Number(size) >= POINTER_SIZES.min && Number(size) <= POINTER_SIZES.max
      if (isSmall && ids.length < MOST) ids.push(id)
    }
  }
  return ids
}
