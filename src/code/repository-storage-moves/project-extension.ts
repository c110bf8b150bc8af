import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { forbidden } from '#platform/http/errors.ts'
import { nullable, text } from '#platform/http/schema.ts'
import type { ExtensionParameters, ProjectExtension, ValuesOf } from '#tenancy/projects/extension-points.ts'
import { insertRepository } from '#code/repositories/make-repository.ts'
import { findRow } from '#code/repositories/rows.ts'
import { DEFAULT_STORAGE } from '#code/repositories/storages.ts'
import { createMove } from './create-move.ts'
import { assertStorage } from './destination.ts'
import { findOwner } from './find-owner.ts'

const storage = nullable(text({ description: 'The name of a storage, for administrators.' }))
const creation = { repository_storage: storage }
const changes = {
  repository_storage: nullable(
    text({ description: 'The name of a storage, for administrators. Another one schedules a move.' }),
  ),
}

/** Under this name the check of a request leaves what its transaction needs. No client can send it. */
const services: unique symbol = Symbol('services for storages')

declare module '#tenancy/projects/extension-points.ts' {
  interface ExtensionParameters extends Partial<ValuesOf<typeof creation>> {
    readonly [services]?: FastifyRequest['server']['services']
  }
}

/** Lets administrators choose the storage of a project, and find projects by it. */
export const storagesOfProjects: ProjectExtension = {
  parameters: { creation, changes },
  async check(asked, req) {
    const wanted = wantedBy(asked)
    if (wanted === undefined) return
    const { repositories } = req.server.services
    assertStorage(repositories.storages, 'repository_storage', wanted)
    // Clients send what they have read, so that alone is no wish for a change.
    if (!req.viewer.admin && wanted !== DEFAULT_STORAGE)
      throw forbidden('only administrators can choose the repository_storage')
    if (req.viewer.admin) Object.assign(asked, { [services]: req.server.services })
  },
  async afterCreation(tx, { id }, asked) {
    const wanted = wantedBy(asked)
    // One with a README is made before; the weights have chosen its storage.
    if (wanted !== undefined && asked[services] !== undefined)
      await insertRepository(tx, { kind: 'project', project: id }, wanted)
  },
  async afterChange(tx, { id }, asked) {
    const wanted = wantedBy(asked)
    const { [services]: needed } = asked
    if (wanted === undefined || needed === undefined) return
    const row = await findRow(tx.db, { kind: 'project', project: id })
    if (wanted === (row?.storage ?? DEFAULT_STORAGE)) return
    const owner = await findOwner(tx.db, { kind: 'project', id })
    if (owner === undefined) return
    const { repositories } = needed
    const wishes = { storages: repositories.storages, settings: needed.settings(), destination: wanted }
    await createMove(tx, owner, wishes)
  },
  storedAt: (name) =>
    name === DEFAULT_STORAGE
      ? sql<boolean>`not exists (
          select 1 from repositories rs where rs.project_id = p.id and rs.kind = 'project' and rs.storage <> ${name})`
      : sql<boolean>`p.id in (
          select rs.project_id from repositories rs where rs.kind = 'project' and rs.storage = ${name})`,
}

const wantedBy = ({ repository_storage }: ExtensionParameters): string | undefined =>
  repository_storage === undefined || repository_storage === null || repository_storage === ''
    ? undefined
    : repository_storage
