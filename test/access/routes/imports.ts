import { archiveOf } from '#test/archives.ts'
import { unique, w } from '#test/world.ts'
import type { RouteExpectations } from '#test/access/route-expectation.ts'

export const importExpectations: RouteExpectations = {
  'GET /projects/:id/import': {
    in: 'project',
    lowest: 'signed-in readers',
    status: 200,
    request: ({ id }) => ({ path: `/projects/${id}/import` }),
  },
  'POST /projects/import': {
    in: 'instance',
    lowest: 'signed in',
    status: 201,
    request: async () => {
      // External users may have no projects unless somebody lets them.
      await w.db.updateTable('users').set({ projects_limit: 1_000 }).where('external', '=', true).execute()
      const form = new FormData()
      form.append('file', new Blob([await archiveOf()]), 'export.tar.gz')
      form.append('path', unique('imported'))
      return { path: '/projects/import', form }
    },
  },
  'POST /projects/:id/export': {
    in: 'project',
    lowest: 'maintainer',
    status: 202,
    request: ({ id }) => ({ path: `/projects/${id}/export` }),
  },
  'GET /projects/:id/export': {
    in: 'project',
    lowest: 'maintainer',
    status: 200,
    request: ({ id }) => ({ path: `/projects/${id}/export` }),
  },
  'GET /projects/:id/export/download': {
    in: 'project',
    lowest: 'maintainer',
    status: 200,
    request: async ({ id }) => {
      const { files } = w.running.services
      const file = await files.store(Buffer.from('archive'), { max: 100, mediaType: 'application/gzip' })
      const now = new Date().toISOString()
      const row = {
        project_id: id,
        state: 'finished' as const,
        file_id: file.id,
        requested_at: now,
        finished_at: now,
      }
      await w.db
        .insertInto('project_exports')
        .values(row)
        .onConflict((oc) => oc.column('project_id').doUpdateSet(row))
        .execute()
      return { path: `/projects/${id}/export/download` }
    },
  },
}
