import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { sendFile } from '#platform/files/send-file.ts'
import { project, reads } from '#platform/access/route-access.ts'
import { ById, integer } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { findArtifact } from '../artifacts/queries.ts'
import { logBytes } from './read-log.ts'

const ByJob = Type.Object({ ...ById.properties, job_id: integer() })

/** The logs of jobs. */
export const logRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    '/projects/:id/jobs/:job_id/trace',
    {
      config: reads(project('read_pipeline'), { anonymous: true }),
      schema: {
        summary: 'Get the log of a job',
        description: 'As text; empty while the job has none.',
        params: ByJob,
        response: { 200: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) },
      },
    },
    async (req, reply) => {
      const { id } = await db
        .selectFrom('ci_jobs')
        .select('id')
        .where('project_id', '=', req.project().container.id)
        .where('id', '=', req.params.job_id)
        .where('bridge', '=', false)
        .executeTakeFirstOrThrow(() => notFound())
      const kept = await findArtifact(db, id, 'trace')
      const file = kept && (await services.files.find(kept.file_id))
      if (file !== undefined)
        return sendFile(req, reply, file, {
          filename: 'job.log',
          mediaType: 'text/plain; charset=utf-8',
          inline: true,
        })
      reply.type('text/plain; charset=utf-8')
      return Readable.from(logBytes(services, id))
    },
  )
}
