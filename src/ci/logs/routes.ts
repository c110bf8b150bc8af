import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { promisePart, rangeOf, sendFile } from '#platform/files/send-file.ts'
import { project, reads } from '#platform/access/route-access.ts'
import { leaveUncompressed } from '#platform/http/compression.ts'
import { sendHead } from '#platform/http/headers.ts'
import { innerOf } from '#platform/http/inner-requests.ts'
import { ById, fileAnswers, integer } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { findArtifact } from '../artifacts/queries.ts'
import { sizeOfLog } from './append-log.ts'
import { logBytes } from './read-log.ts'

/** A log that grows has no entity tag, so `If-Range` never holds. */
const NO_TAG = ''
const ByJob = Type.Object({ ...ById.properties, job_id: integer() })

/** The logs of jobs. */
export const logRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.route({
    method: ['GET', 'HEAD'],
    url: '/projects/:id/jobs/:job_id/trace',
    config: reads(project('read_pipeline'), { anonymous: true }),
    schema: {
      summary: 'Get the log of a job',
      description:
        'As text; empty while the job has none. With `Range`, also a log that still grows is read from where one was.',
      params: ByJob,
      response: fileAnswers('text/plain'),
    },
    handler: async (req, reply) => {
      const { id } = await db
        .selectFrom('ci_jobs')
        .select('id')
        .where('project_id', '=', req.project().container.id)
        .where('id', '=', req.params.job_id)
        .where('bridge', '=', false)
        .executeTakeFirstOrThrow(() => notFound())
      // Asked in this order, since the pieces go when the log becomes a file.
      const size = await sizeOfLog(db, id)
      const kept = await findArtifact(db, id, 'trace')
      const file = kept && (await services.files.find(kept.file_id))
      if (file !== undefined)
        return sendFile(req, reply, file, {
          filename: 'job.log',
          mediaType: 'text/plain; charset=utf-8',
          inline: true,
          // A page inside the process follows no redirect.
          redirects: innerOf(req) === undefined,
        })
      reply.type('text/plain; charset=utf-8').header('accept-ranges', 'bytes')
      if (req.method === 'HEAD') return sendHead(reply)
      const range = rangeOf(req, NO_TAG, size)
      if (range !== undefined) {
        leaveUncompressed(req)
        promisePart(reply, range, size)
      }
      return Readable.from(logBytes(services, id, range))
    },
  })
}
