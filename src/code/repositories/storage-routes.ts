import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads } from '#platform/access/route-access.ts'
import { ById, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { findRow } from './rows.ts'
import { DEFAULT_STORAGE } from './storages.ts'

const Storage = Type.Object({
  project_id: integer(),
  disk_path: nullable(
    Type.String({ description: 'Below the storage. Null until somebody writes to the repository.' }),
  ),
  created_at: moment(),
  repository_storage: Type.String(),
})

/** Where repositories are, for administrators. */
export const storageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/storage',
    {
      config: reads(project('read_project_storage')),
      schema: { summary: 'Get where a project is stored', params: ById, response: { 200: Storage } },
    },
    async (req) => {
      const { id, created_at } = req.project().container
      const row = await findRow(db, { kind: 'project', project: id })
      return {
        project_id: id,
        disk_path: row?.relative_path.replace(/\.git$/, '') ?? null,
        created_at: iso(created_at),
        repository_storage: row?.storage ?? DEFAULT_STORAGE,
      }
    },
  )
}
