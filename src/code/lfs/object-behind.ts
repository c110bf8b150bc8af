import { readObject, type ObjectInfo } from '#code/git/objects.ts'
import type { Repository } from '#code/git/repository.ts'
import type { StoredFile } from '#platform/files/files.ts'
import type { Db } from '#platform/db/pool.ts'
import { POINTER_SIZES, readPointer } from './pointers.ts'
import { objectsOf } from './queries.ts'

/** The object that a file of a repository stands for, if the project has it; undefined for all other files. */
export async function objectBehind(
  db: Db,
  projectId: number,
  repository: Repository,
  { id, size }: ObjectInfo,
): Promise<StoredFile | undefined> {
  if (size < POINTER_SIZES.min || size > POINTER_SIZES.max) return undefined
  const blob = await readObject(repository, id)
  const pointer = blob && readPointer(blob.content)
  return pointer && (await objectsOf(db, projectId, [pointer.oid])).get(pointer.oid)
}
