import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { streamed } from '#platform/http/body-kind.ts'
import { ById, Message, oneOf, text } from '#platform/http/schema.ts'
import { PackageFile, presentPackageFile } from '../../packages/entity.ts'
import { publishFile } from '../../packages/publish.ts'
import { packageFile } from '../../packages/queries.ts'
import { sendPackageFile } from '../../packages/send-package-file.ts'
import { storePackageFile } from '../../packages/store-package-file.ts'
import { assertNames } from './names.ts'

const ByFile = Type.Object({
  ...ById.properties,
  package_name: text(),
  package_version: text(),
  file_name: text({ description: 'With folders before it, where their slashes are written as `%2F`.' }),
})

const Upload = Type.Object({
  status: Type.Optional(
    oneOf(['default', 'hidden'], { description: 'Of the package. A hidden one is in no list.' }),
  ),
  select: Type.Optional(oneOf(['package_file'], { description: 'Answers with the file.' })),
})

/** Packages of files that no package manager reads. */
export const genericPackageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const path = '/projects/:id/packages/generic/:package_name/:package_version/:file_name'

  app.put(
    path,
    {
      config: { ...writes(project('create_package'), { jobToken: true }), ...streamed },
      schema: {
        summary: 'Publish a file of a generic package',
        description: 'The body is the file. The package is made if it is not there.',
        params: ByFile,
        querystring: Upload,
        response: {
          201: Type.Unsafe<Static<typeof Message> | Static<typeof PackageFile>>({
            anyOf: [Message, PackageFile],
          }),
        },
        refuses: [413],
      },
    },
    async (req) => {
      const { package_name: name, package_version: version, file_name: fileName } = req.params
      assertNames(name, version, fileName)
      const { container } = req.project()
      const { generic_packages_max_file_size, max_package_files } = services.settings()
      const stored = await storePackageFile(services.files, req.bodyStream(), generic_packages_max_file_size)
      const id = await req.write((tx) =>
        publishFile(tx, container, {
          type: 'generic',
          name,
          version,
          fileName,
          stored,
          status: req.query.status,
          jobId: req.viewer.job?.id,
          mostFiles: max_package_files,
        }),
      )
      return req.query.select === 'package_file'
        ? presentPackageFile(await packageFile(db, id))
        : { message: '201 Created' }
    },
  )

  app.get(
    path,
    {
      config: reads(project('read_package'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'Download a file of a generic package',
        description: 'Whole or in ranges. Of several under the name, the newest.',
        params: ByFile,
        response: { 200: Type.Unsafe<Readable | undefined>({ type: 'string', format: 'binary' }) },
      },
    },
    (req, reply) => {
      const { package_name: name, package_version: version, file_name: fileName } = req.params
      return sendPackageFile(req, reply, { type: 'generic', name, version, fileName })
    },
  )
}
