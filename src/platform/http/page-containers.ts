import type { FastifyRequest } from 'fastify'
import { type ContainerRow, findContainer, type RequestedResource } from '#platform/access/containers.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'

/** The projects and groups that the requests of a page have looked up, by how they were named. */
const ofPages = new WeakMap<FastifyRequest, Map<string, Promise<ContainerRow | undefined>>>()

/**
 * Finds a project or group for one of the requests of a page: all of them are the visitor's, and ask for nearly the same one, so that it is
 * looked up once.
 * @param requested without anything nested
 */
export async function findOnPage(
  page: FastifyRequest,
  db: Db,
  requested: RequestedResource,
  viewer: Viewer,
): Promise<ContainerRow | undefined> {
  const known = ofPages.get(page) ?? new Map<string, Promise<ContainerRow | undefined>>()
  ofPages.set(page, known)
  const key = nameOf(requested)
  const found = known.get(key) ?? findContainer(db, requested, viewer)
  known.set(key, found)
  const row = await found
  if (row !== undefined) known.set(nameOf({ kind: requested.kind, key: { id: row.id } }), found)
  return row
}

/** A page that has changed something looks its project or group up again. */
export const forgetOnPage = (page: FastifyRequest): boolean => ofPages.delete(page)

const nameOf = ({ kind, key }: RequestedResource): string =>
  'id' in key ? `${kind} ${key.id}` : `${kind} at ${key.path}`
