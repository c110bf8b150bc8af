import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { project } from '#platform/access/route-access.ts'
import { streamed } from '#platform/http/body-kind.ts'
import { ById, fileAnswers, Message, oneOf, text } from '#platform/http/schema.ts'
import { refusal } from '#platform/refusals.ts'
import { audienceOf } from '../../packages/audience-of.ts'
import { mayRepeat } from '../../packages/duplicates.ts'
import { PackageFile, presentPackageFile } from '../../packages/entity.ts'
import { readsPackages, writesPackages } from '../../packages/package-route.ts'
import { publishFile } from '../../packages/publish.ts'
import { publisherOf } from '../../packages/publisher-of.ts'
import { packageFile } from '../../packages/queries.ts'
import { sendPackageFile } from '../../packages/send-package-file.ts'
import { storePackageFile } from '../../packages/store-package-file.ts'
import { assertNames } from './names.ts'

const ByFile = Type.Object({
  ...ById.properties,
  package_name: text({ description: 'Letters, digits, `.`, `_`, `+` and `-`.' }),
  package_version: text({ description: 'Letters, digits, `.`, `_`, `+` and `-`.' }),
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
  const url = '/projects/:id/packages/generic/:package_name/:package_version/:file_name'

  app.put(
    url,
    {
      config: { ...writesPackages(project('create_package')), ...streamed },
      schema: {
        summary: 'Publish a file of a generic package',
        description: 'The body is the file. The package is made if it is not there.',
        params: ByFile,
        querystring: Upload,
        refuses: [507],
        response: {
          201: Type.Unsafe<Static<typeof Message> | Static<typeof PackageFile>>({
            anyOf: [Message, PackageFile],
          }),
        },
      },
    },
    async (req) => {
      const { package_name: name, package_version: version, file_name: fileName } = req.params
      assertNames(name, version, fileName)
      const { container } = req.project()
      const { traversal_ids: traversalIds } = container
      const max = services.settings().generic_packages_max_file_size
      const stored = await storePackageFile(req, req.bodyStream(), max)
      const { fileId } = await req.write((tx) =>
        publishFile(
          tx,
          container,
          { type: 'generic', name, version, status: req.query.status },
          { fileName, stored },
          {
            ...publisherOf(req),
            refuse: async (is) =>
              is.file && !(await mayRepeat(tx, { type: 'generic', name, version, traversalIds }))
                ? refusal('Duplicate package is not allowed')
                : undefined,
          },
        ),
      )
      return req.query.select === 'package_file'
        ? presentPackageFile(await packageFile(db, fileId), audienceOf(req))
        : { message: '201 Created' }
    },
  )

  app.route({
    method: ['GET', 'HEAD'],
    url,
    config: readsPackages(project('read_package')),
    schema: {
      summary: 'Download a file of a generic package',
      description: 'Whole or in ranges. Of several under the name, the newest.',
      params: ByFile,
      response: fileAnswers('application/octet-stream'),
    },
    handler: (req, reply) => {
      const { package_name: name, package_version: version, file_name: fileName } = req.params
      return sendPackageFile(req, reply, { type: 'generic', name, version, fileName })
    },
  })
}
