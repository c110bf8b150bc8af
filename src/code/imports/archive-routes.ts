import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { anyone, writes } from '#platform/access/route-access.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { refusedParameter, refuseLater } from '#platform/http/later.ts'
import { file, flag, idOrPath, integer, MAX_PATH, nullable, oneOf, text } from '#platform/http/schema.ts'
import { projectAfter } from '#tenancy/projects/after.ts'
import { schemasOf, presentedSettingSchemas } from '#tenancy/projects/project-settings.ts'
import { presentImport, ProjectImport } from './entity.ts'
import { type ImportWishes, importProject, readUpload } from './import-project.ts'
import { assertImportSource } from './settings.ts'

/** Bytes of an uploaded archive: it comes in one piece, as all uploads in parameters do. */
const MAX_ARCHIVE = 15 * 1024 * 1024

const later = { overwrite: 'a project that exists is not replaced' } as const

const overrides = Type.Unsafe<NonNullable<ImportWishes['overrides']>>(
  Type.Object({
    ...schemasOf(presentedSettingSchemas, Type.Optional),
    description: Type.Optional(nullable(text({ max: 2_000 }))),
    visibility: Type.Optional(oneOf<Visibility>(['private', 'internal', 'public'])),
  }),
)

const NewProjectImport = Type.Object({
  file: file({ max: MAX_ARCHIVE, description: 'An export of this server.' }),
  path: text({ filled: true }),
  name: Type.Optional(text({ filled: true, description: 'By default the path.' })),
  namespace: Type.Optional(
    Type.Unsafe<string>({
      ...idOrPath({
        description: 'The older form of `namespace_id` and `namespace_path`, which take precedence.',
      }),
      deprecated: true,
    }),
  ),
  namespace_id: Type.Optional(
    integer({ minimum: 1, description: 'A group or personal namespace; by default your own.' }),
  ),
  namespace_path: Type.Optional(text({ max: MAX_PATH, description: 'The same by its path.' })),
  overwrite: Type.Optional(flag(refusedParameter(later.overwrite))),
  override_params: Type.Optional(overrides),
})

/** Routes for imports of archives. */
export const archiveRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { services } = app

  app.post(
    '/projects/import',
    {
      config: writes(anyone),
      schema: {
        summary: 'Make a project from an export',
        description: '`GET /projects/:id/import` says when everything is there.',
        body: NewProjectImport,
        response: { 201: ProjectImport },
      },
    },
    async (req) => {
      assertImportSource(req, 'gitlab_project')
      const { file: upload, path, name, override_params, ...asked } = refuseLater(req.body, later)
      const namespace = asked.namespace_id?.toString() ?? asked.namespace_path ?? asked.namespace
      const project = await readUpload(upload.data)
      const stored = await services.files.store(upload.data, {
        max: MAX_ARCHIVE,
        mediaType: 'application/gzip',
      })
      const requester = { viewer: { ...req.viewer, id: req.user().id }, policy: services.settings() }
      const made = await req.write(async (tx) => {
        const { id } = await importProject(
          tx,
          requester,
          { project, fileId: stored.id },
          {
            path,
            ...(name !== undefined && { name }),
            ...(namespace !== undefined && { namespace }),
            ...(override_params !== undefined && { overrides: override_params }),
          },
        )
        return projectAfter(req, tx, id)
      })
      return presentImport(made, 'gitlab_project')
    },
  )
}
