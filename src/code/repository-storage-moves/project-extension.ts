import { sql } from 'kysely'
import { nullable, text } from '#platform/http/schema.ts'
import type { ProjectExtension } from '#tenancy/projects/extension-points.ts'
import { chosenStorage } from '#code/repositories/chosen-storage.ts'
import { findRow } from '#code/repositories/rows.ts'
import { DEFAULT_STORAGE } from '#code/repositories/storages.ts'
import { createMove, type MoveWishes } from './create-move.ts'
import { findOwner } from './find-owner.ts'

const changes = {
  repository_storage: nullable(
    text({ description: 'The name of a storage, for administrators. Another one schedules a move.' }),
  ),
}

/** Under this name the check of a request leaves what its transaction needs. No client can send it. */
const wishes: unique symbol = Symbol('wishes for a move')

declare module '#tenancy/projects/extension-points.ts' {
  interface ExtensionParameters {
    readonly [wishes]?: MoveWishes & { readonly destination: string }
  }
}

/** Lets administrators change the storage of a project, and find projects by it. */
export const storagesOfProjects: ProjectExtension = {
  parameters: { changes },
  check(asked, req) {
    const destination = chosenStorage(asked, req)
    if (destination === undefined) return
    const { repositories, settings } = req.server.services
    const move = { storages: repositories.storages, settings: settings(), destination }
    Object.assign(asked, { [wishes]: move })
  },
  async afterChange(tx, { id }, { [wishes]: move }) {
    if (move === undefined) return
    const row = await findRow(tx.db, { kind: 'project', project: id })
    if (move.destination === (row?.storage ?? DEFAULT_STORAGE)) return
    const owner = await findOwner(tx.db, { kind: 'project', id })
    if (owner !== undefined) await createMove(tx, owner, move)
  },
  storedAt: (name) =>
    name === DEFAULT_STORAGE
      ? sql<boolean>`not exists (select from ${elsewhere} and rs.project_id = p.id)`
      : sql<boolean>`p.id = any(array(select rs.project_id from ${elsewhere} and rs.storage = ${name}))`,
}

/** What the index `repositories_elsewhere` has: the repositories of projects that are not on the default storage. */
const elsewhere = sql`repositories rs where rs.kind = 'project' and rs.storage <> ${sql.lit(DEFAULT_STORAGE)}`
