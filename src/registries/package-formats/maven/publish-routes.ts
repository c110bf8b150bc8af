import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project } from '#platform/access/route-access.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { streamed } from '#platform/http/body-kind.ts'
import { ById, Message, NoContent } from '#platform/http/schema.ts'
import { conflict, invalid, notFound, refusal, TooLarge } from '#platform/refusals.ts'
import { mayRepeat } from '../../packages/duplicates.ts'
import { writesPackages } from '../../packages/package-route.ts'
import { publishFile } from '../../packages/publish.ts'
import { publisherOf } from '../../packages/publisher-of.ts'
import { inProject } from '../../packages/served-files.ts'
import { storePackageFile } from '../../packages/store-package-file.ts'
import { byPath } from './parameters.ts'
import { isMetadata, mavenFileOf } from './paths.ts'
import { newestFile } from './queries.ts'

const ByFile = Type.Object({ ...ById.properties, ...byPath })

/** The largest text with a digest: some programs write the name of the file behind it. */
const MOST_CHECKSUM = 1_024

/** What `mvn deploy` and other programs with Maven's layout publish. */
export const mavenPublishRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.put(
    '/projects/:id/packages/maven/:path/:file_name',
    {
      config: { ...writesPackages(project('create_package')), ...streamed },
      schema: {
        summary: 'Publish a file of a Maven package',
        description:
          'The body is the file. The package is made if it is not there. Of a digest (`.md5`, `.sha1`, `.sha256`, `.sha512`), the server looks whether it is that of the file it has.',
        params: ByFile,
        refuses: [409, 507],
        response: { 200: Message, 204: NoContent },
      },
    },
    async (req, reply) => {
      const { path, file_name } = req.params
      const named = mavenFileOf(path, file_name)
      if (named === undefined) throw invalid({ path: ['is invalid'] })
      const { container } = req.project()
      if (named.checksum !== undefined) {
        const said = await checksumIn(req.bodyStream())
        const found = await newestFile(db, inProject(container.id), named)
        if (found === undefined) throw notFound('Package')
        if (found[named.checksum]?.toString('hex') !== said)
          throw conflict(
            `409 Conflict - this is not the ${named.checksum} of ${named.fileName} as it is here`,
          )
        return reply.code(204).send(undefined)
      }
      const { traversal_ids: traversalIds } = container
      const { name, version, fileName } = named
      const max = services.settings().maven_max_file_size
      const stored = await storePackageFile(req, req.bodyStream(), max, { sha512: true })
      await req.write(async (tx) => {
        const { packageId, fileId } = await publishFile(
          tx,
          container,
          { type: 'maven', name, version },
          { fileName, stored },
          {
            ...publisherOf(req),
            refuse: async ({ file }) =>
              file &&
              version !== null &&
              !isMetadata(named) &&
              !(await mayRepeat(tx, { type: 'maven', name, version, traversalIds }))
                ? refusal('Duplicate package is not allowed')
                : undefined,
          },
        )
        if (isMetadata(named)) await forgetOlder(tx, { packageId, fileId, fileName })
      })
      return reply.code(200).send({ message: '200 OK' })
    },
  )
}

/** The digest that a body has. @throws 413 for a body that is more */
async function checksumIn(body: AsyncIterable<Buffer>): Promise<string> {
  let said = ''
  for await (const piece of body) {
    said += piece.toString('latin1')
    if (said.length > MOST_CHECKSUM) throw new TooLarge(`a digest has at most ${MOST_CHECKSUM} bytes`)
  }
  const [digest = ''] = said.trim().split(/\s/)
  return digest.toLowerCase()
}

/** Every version and build replaces these: only the newest one is kept. */
const forgetOlder = (
  tx: Tx,
  {
    packageId,
    fileId,
    fileName,
  }: { readonly packageId: number; readonly fileId: number; readonly fileName: string },
) =>
  tx.db
    .deleteFrom('package_files')
    .where('package_id', '=', packageId)
    .where('file_name', '=', fileName)
    .where('id', '<', fileId)
    .execute()
