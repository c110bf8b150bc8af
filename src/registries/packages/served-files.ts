import type { FastifyRequest } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { PackageType } from '#platform/db/schema.ts'
import { isReadableAt } from '../readable-projects.ts'
import { servedStatuses } from './types.ts'

/** Which packages a request reads from: those of the project that it names, or of all projects below its group that it may read. */
export function placeOf(req: FastifyRequest): RawBuilder<boolean> {
  if (req.authorizedProject !== undefined) return inProject(req.project().container.id)
  const { namespace_id: groupId } = req.group().container
  const below = sql<boolean>`n.traversal_ids @> array[${groupId}::bigint]`
  return isReadableAt('k.project_id', req.viewer, 'package_registry', below)
}

/** The packages of one project. */
export const inProject = (projectId: number): RawBuilder<boolean> => sql<boolean>`k.project_id = ${projectId}`

/** The files of one format that may be downloaded from a place. */
export const servedFiles = (db: Db, type: PackageType, place: RawBuilder<boolean>) =>
  db
    .selectFrom('packages as k')
    .innerJoin('projects as p', 'p.id', 'k.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .innerJoin('package_files as f', 'f.package_id', 'k.id')
    .where('k.package_type', '=', type)
    .where('k.status', 'in', [...servedStatuses])
    .where(place)

/** What is needed of a file to send it. */
export const servedColumns = [
  'k.id as package_id',
  'k.last_downloaded_at',
  'f.file_id',
  'f.file_name',
] as const
