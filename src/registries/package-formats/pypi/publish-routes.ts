import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { project } from '#platform/access/route-access.ts'
import { streamed } from '#platform/http/body-kind.ts'
import { receiveMultipart } from '#platform/http/multipart-upload.ts'
import { ById, Message } from '#platform/http/schema.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { badRequest } from '#platform/refusals.ts'
import { writesPackages } from '../../packages/package-route.ts'
import { publishFile } from '../../packages/publish.ts'
import { publisherOf } from '../../packages/publisher-of.ts'
import { storePackageFile } from '../../packages/store-package-file.ts'
import { assertDigests, distributionOf, requiredPython } from './names.ts'

/** Texts of an upload. Classifiers and dependencies are one each. */
const MOST_FIELDS = 2_000

/** What twine publishes. */
export const pypiPublishRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { services } = app

  app.post(
    '/projects/:id/packages/pypi',
    {
      config: { ...writesPackages(project('create_package')), ...streamed },
      schema: {
        summary: 'Publish a file of a Python package',
        description:
          'As `multipart/form-data` with the parts `content`, `name`, `version`, and `requires_python`, `sha256_digest` and `md5_digest` where they are known: what `twine` sends.',
        params: ById,
        refuses: [507],
        response: { 201: Message },
      },
    },
    async (req, reply) => {
      const { container } = req.project()
      const body = {
        stream: req.bodyStream(),
        contentType: req.headers['content-type'],
        claim: app.bodyMemory.for(reply.raw),
      }
      const max = services.settings().pypi_max_file_size
      const { stored, filename, fields } = await receiveMultipart(body, {
        part: 'content',
        fields: MOST_FIELDS,
        store: (content) => storePackageFile(req, content, max),
      })
      const { name, version, fileName } = distributionOf(fields, filename)
      assertDigests(fields, stored)
      const requires_python = requiredPython(fields)
      const metadata = requires_python === undefined ? undefined : { requires_python }
      await req.write((tx) =>
        publishFile(
          tx,
          container,
          { type: 'pypi', name, version, metadata },
          { fileName, stored },
          { ...publisherOf(req), refuse: ({ file }) => (file ? alreadyThere() : undefined) },
        ),
      )
      return { message: '201 Created' }
    },
  )
}

/** As programs know it that skip what is there. */
const alreadyThere = () =>
  badRequest(`Validation failed: File name ${knownTexts.taken}: the file already exists`)
