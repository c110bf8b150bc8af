import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { NotAllowed, notFound } from '#platform/refusals.ts'
import type { GitAccess } from '#code/git-transport/access.ts'

/** A project that uses Git LFS. */
export interface LfsProject {
  readonly id: number
  readonly namespace_id: number
}

/** Somebody who may use the objects of a project as they asked. */
export interface LfsAccess {
  readonly access: GitAccess
  readonly project: LfsProject
}

/** Whether a project uses LFS, over the alias of its table. */
export const usesLfs = (project: string): RawBuilder<boolean> =>
  sql<boolean>`coalesce(${sql.ref(`${project}.settings`)} ->> 'lfs_enabled', 'true') = 'true'`

const NO_LFS = 'Git LFS is switched off in this project.'

/** The project of a repository. @throws 404 for repositories of wikis and snippets, 403 where LFS is switched off */
export async function lfsProject(db: Db, { owner }: Pick<GitAccess, 'owner'>): Promise<LfsProject> {
  const found =
    owner.kind === 'project'
      ? await db
          .selectFrom('projects as p')
          .select(['p.id', 'p.project_namespace_id as namespace_id'])
          .select(usesLfs('p').as('enabled'))
          .where('p.id', '=', owner.project)
          .executeTakeFirst()
      : undefined
  if (found === undefined) throw notFound()
  if (!found.enabled) throw new NotAllowed(NO_LFS)
  return found
}
