import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'

/** Levels below a project that a repository's name may have. */
const MOST_LEVELS = 2

/** A project that the name of a repository begins with, and the rest of the name. */
export interface NamedProject {
  readonly projectId: number
  /** Without a slash before it; blank for the project's own path. */
  readonly rest: string
}

/** The project of a repository's name, which is in small letters whatever the project's path. */
export async function projectNamed(db: Db, name: string): Promise<NamedProject | undefined> {
  const segments = name.split('/')
  const paths = Array.from({ length: MOST_LEVELS + 1 }, (_, below) => segments.length - below)
    .filter((length) => length >= 2)
    .map((length) => segments.slice(0, length).join('/'))
  if (paths.length === 0) return undefined
  const found = await db
    .selectFrom('namespaces as n')
    .innerJoin('projects as p', 'p.project_namespace_id', 'n.id')
    .select(['p.id', sql<number>`length(n.full_path)`.as('length')])
    .where(sql`lower(n.full_path)`, '=', sql`any(${paths}::text[])`)
    .where('n.kind', '=', 'project')
    .where('n.deleted_at', 'is', null)
    .executeTakeFirst()
  return found && { projectId: found.id, rest: name.slice(found.length + 1) }
}

/** The whole name of a repository. */
export const nameOf = (projectPath: string, rest: string): string =>
  [projectPath.toLowerCase(), rest].filter((part) => part !== '').join('/')
