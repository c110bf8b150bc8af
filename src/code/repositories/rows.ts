import type { Db } from '#platform/db/pool.ts'
import type { RepositoryKind } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Repository } from '#code/git/repository.ts'

/** Whose repository it is. */
export type RepositoryOwner =
  | { readonly kind: 'project' | 'wiki'; readonly project: number }
  | { readonly kind: 'group_wiki'; readonly group: number }
  | { readonly kind: 'snippet'; readonly snippet: number }

/** What the database knows of a repository. */
export interface RepositoryRow {
  readonly id: number
  readonly kind: RepositoryKind
  readonly project_id: number | null
  readonly group_id: number | null
  readonly snippet_id: number | null
  readonly storage: string
  readonly relative_path: string
  /** Null until the folder is made. */
  readonly made_at: string | null
  /** Null while there is no branch. */
  readonly default_branch: string | null
  readonly last_commit_sha: string | null
  readonly last_commit_at: string | null
  readonly last_tag: string | null
  readonly last_tag_at: string | null
  /** The file in the root of the default branch that introduces the project. */
  readonly readme_path: string | null
  /** Commits of the default branch. */
  readonly commit_count: number
  readonly branch_count: number
  readonly tag_count: number
  /** Bytes on the disk. */
  readonly size: number
  readonly read_only_because: string | null
  readonly version: number
}

/** The row as it is now, with what rules for references ask first. */
export interface CurrentRow extends RepositoryRow {
  /** Whether anybody has locked a file of the project with Git LFS. */
  readonly lfs_locked: boolean
}

/** A repository that is on the disk, with its row as it was when it was looked up. */
export interface StoredRepository extends Repository {
  readonly row: RepositoryRow
}

export const repositoryColumns = [
  'id',
  'kind',
  'project_id',
  'group_id',
  'snippet_id',
  'storage',
  'relative_path',
  'made_at',
  'default_branch',
  'last_commit_sha',
  'last_commit_at',
  'last_tag',
  'last_tag_at',
  'readme_path',
  'commit_count',
  'branch_count',
  'tag_count',
  'size',
  'read_only_because',
  'version',
] as const

/** Where the folder of a repository is. */
export type Place = Pick<RepositoryRow, 'storage' | 'relative_path'>

/** Whether a repository is still where it was: a move to another storage gives it another folder. */
export const isSamePlace = (a: Place, b: Place): boolean =>
  a.storage === b.storage && a.relative_path === b.relative_path

/** The column that names an owner, and its value. */
export function ownerColumn(owner: RepositoryOwner) {
  if ('project' in owner) return { column: 'project_id', id: owner.project } as const
  if ('group' in owner) return { column: 'group_id', id: owner.group } as const
  return { column: 'snippet_id', id: owner.snippet } as const
}

/** The row of a repository. Undefined when nothing was ever written there. */
export function findRow(db: Db | Tx['db'], owner: RepositoryOwner): Promise<RepositoryRow | undefined> {
  const query = db.selectFrom('repositories').select(repositoryColumns).where('kind', '=', owner.kind)
  const { column, id } = ownerColumn(owner)
  return query.where(column, '=', id).executeTakeFirst()
}

/** The row by its id. Undefined when the repository was removed. */
export function findRowById(db: Db | Tx['db'], id: number): Promise<RepositoryRow | undefined> {
  return db.selectFrom('repositories').select(repositoryColumns).where('id', '=', id).executeTakeFirst()
}

/** The same with what else is asked of a repository that is about to change. */
export function findCurrentRow(db: Db | Tx['db'], id: number): Promise<CurrentRow | undefined> {
  return (
    db
      .selectFrom('repositories')
      .select(repositoryColumns)
      // In the order of an index: PostgreSQL would look for any by reading the table, which takes long where there is none.
      .select((eb) =>
        eb(
          eb
            .selectFrom('lfs_locks as l')
            .select('l.id')
            .whereRef('l.project_id', '=', 'repositories.project_id')
            .orderBy('l.id')
            .limit(1),
          'is not',
          null,
        )
          .$castTo<boolean>()
          .as('lfs_locked'),
      )
      .where('id', '=', id)
      .executeTakeFirst()
  )
}

/** Rows by the ids of their projects, for lists of projects. */
export async function rowsOfProjects(
  db: Db | Tx['db'],
  projects: readonly number[],
): Promise<ReadonlyMap<number, RepositoryRow>> {
  if (projects.length === 0) return new Map()
  const rows = await db
    .selectFrom('repositories')
    .select(repositoryColumns)
    .where((eb) => eb('project_id', '=', eb.fn.any(eb.val([...projects]))))
    .where('kind', '=', 'project')
    .execute()
  return new Map(rows.flatMap((row) => (row.project_id === null ? [] : [[row.project_id, row] as const])))
}
