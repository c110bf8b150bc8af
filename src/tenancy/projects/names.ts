import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { invalid, taken } from '#platform/refusals.ts'

const NAME = /^[\p{L}\p{N}\p{Extended_Pictographic}_][\p{L}\p{M}\p{N}\p{Pd}\p{Emoji}\u200d_+. ]*$/u

/** @throws 400 for a name that a project cannot have */
export function assertProjectName(name: string): void {
  if (NAME.test(name)) return
  const rule =
    "can contain only letters, digits, emoji, '_', '.', '+', dashes and spaces, and must start with a letter, digit, emoji or '_'"
  throw invalid({ name: [rule] })
}

/** Derives a project's path from its name: `Crème Brûlée 2` becomes `creme-brulee-2`. */
export function pathFromName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-|-$/g, '')
}

/**
 * Names of projects are unique in a namespace, and paths are unique among everything.
 * @param except the namespace of the project that is being renamed.
 * @throws 400 with each attribute that is taken
 */
export async function assertFree(
  tx: Tx,
  parent: { readonly id: number; readonly full_path: string },
  { name, path }: { readonly name: string; readonly path: string },
  except = 0,
): Promise<void> {
  const found = await tx.db
    .selectNoFrom((eb) => [
      eb
        .exists(
          eb
            .selectFrom('namespaces')
            .select('id')
            .where('parent_id', '=', parent.id)
            .where('kind', '=', 'project')
            .where('name', '=', name)
            .where('deleted_at', 'is', null)
            .where('id', '<>', except),
        )
        .as('name'),
      eb
        .exists(
          eb
            .selectFrom('namespaces')
            .select('id')
            .where(sql`lower(full_path)`, '=', `${parent.full_path}/${path}`.toLowerCase())
            .where('id', '<>', except),
        )
        .as('path'),
    ])
    .executeTakeFirstOrThrow()
  if (!found.name && !found.path) return
  throw taken(...(found.name ? ['project_namespace.name', 'name'] : []), ...(found.path ? ['path'] : []))
}
