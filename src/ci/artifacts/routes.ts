import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { Job, presentJob } from '#code/jobs/entity.ts'
import { usersOf } from '#code/jobs/queries.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import type { StoredFile } from '#platform/files/files.ts'
import { fileNameParameters, sendFile } from '#platform/files/send-file.ts'
import { leaveUncompressed } from '#platform/http/compression.ts'
import { paginateRows } from '#platform/http/pagination.ts'
import { pageParameters } from '#platform/http/order.ts'
import { ById, fileAnswers, flag, integer, Message, NoContent, text } from '#platform/http/schema.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import { forbidden, notFound } from '#platform/refusals.ts'
import { findJob } from '../jobs/queries.ts'
import { siteOf } from '../pipelines/site-of.ts'
import { deleteArtifactsOfProject } from './delete-artifacts-of-project.ts'
import {
  findArtifact,
  jobWithArtifacts,
  type JobWithArtifacts,
  latestJobWithArtifacts,
  mayHaveArtifacts,
} from './queries.ts'
import { zipEntry } from './zip-entry.ts'
import { JobArtifactEntry, zipTree } from './zip-tree.ts'

const ByJob = Type.Object({ ...ById.properties, job_id: integer() })
const path = text({ max: 4_096, description: 'The path of a file in the archive.' })
const InTree = Type.Object({
  ...pageParameters,
  path: Type.Optional(text({ max: 4_096, description: 'A folder; by default the root.' })),
  recursive: flag({ default: false, description: 'Also what is in folders below.' }),
})
const ByFile = Type.Object({ ...ByJob.properties, artifact_path: path })
const ByRef = Type.Object({
  ...ById.properties,
  ref_name: text({ max: 1_024, description: 'A branch or tag.' }),
})
const ByFileOfRef = Type.Object({ ...ByRef.properties, artifact_path: path })
const OfJob = Type.Object({ job: text({ filled: true, description: 'The name of the job.' }) })
const archives = fileAnswers('application/zip')
const bytes = Type.Unsafe<Readable | undefined>({ type: 'string', format: 'binary' })

/** What jobs leave behind. */
export const artifactRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  /** The archive of a job, if the caller may have it. @throws 403, 404 */
  const archiveOf = async (
    req: FastifyRequest,
    { id, access }: JobWithArtifacts,
  ): Promise<{ readonly file: StoredFile; readonly filename: string }> => {
    if (!mayHaveArtifacts(access, req.project())) throw forbidden()
    const artifact = orNotFound(await findArtifact(db, id, 'archive'))
    const file = await services.files.find(artifact.file_id)
    if (file === undefined) throw notFound()
    return { file, filename: artifact.filename }
  }
  const sendArchive = async (req: FastifyRequest, reply: FastifyReply, job: JobWithArtifacts) => {
    const { file, filename } = await archiveOf(req, job)
    return sendFile(req, reply, file, { filename, mediaType: 'application/zip', inline: false })
  }
  const sendEntry = async (
    req: FastifyRequest,
    reply: FastifyReply,
    job: JobWithArtifacts,
    wanted: string,
  ) => {
    const { file } = await archiveOf(req, job)
    const entry = await zipEntry(services.files, file, wanted)
    leaveUncompressed(req)
    reply.headers({
      'content-disposition': `attachment; ${fileNameParameters(wanted.split('/').at(-1) ?? wanted)}`,
      'content-security-policy': "default-src 'none'; sandbox",
    })
    reply.type('application/octet-stream')
    return entry
  }
  const ofJob = (req: FastifyRequest, id: number) => jobWithArtifacts(db, req.project().container.id, id)
  const ofRef = (req: FastifyRequest, ref: string, job: string) =>
    latestJobWithArtifacts(db, req.project().container.id, { ref, job })

  app.route({
    method: ['GET', 'HEAD'],
    url: '/projects/:id/jobs/:job_id/artifacts',
    config: reads(project('read_pipeline'), { anonymous: true, jobToken: true }),
    schema: { summary: 'Get the artifacts of a job', params: ByJob, response: archives },
    handler: async (req, reply) => sendArchive(req, reply, await ofJob(req, req.params.job_id)),
  })

  app.get(
    '/projects/:id/jobs/:job_id/artifacts/tree',
    {
      config: reads(project('read_pipeline'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'List the files in the artifacts of a job',
        description: 'Folders first. Only the index of the archive is read.',
        params: ByJob,
        querystring: InTree,
        refuses: [422],
        response: { 200: Type.Array(JobArtifactEntry) },
      },
    },
    async (req, reply) => {
      const { file } = await archiveOf(req, await ofJob(req, req.params.job_id))
      const { path: asked = '', recursive } = req.query
      const folder = asked === '' ? '' : `${asked.replace(/\/$/, '')}/`
      return paginateRows(req, reply, await zipTree(services.files, file, { folder, recursive }))
    },
  )

  app.get(
    '/projects/:id/jobs/:job_id/artifacts/:artifact_path',
    {
      config: reads(project('read_pipeline'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'Get one file out of the artifacts of a job',
        params: ByFile,
        refuses: [422],
        response: { 200: bytes },
      },
    },
    async (req, reply) =>
      sendEntry(req, reply, await ofJob(req, req.params.job_id), req.params.artifact_path),
  )

  app.route({
    method: ['GET', 'HEAD'],
    url: '/projects/:id/jobs/artifacts/:ref_name/download',
    config: reads(project('read_pipeline'), { anonymous: true, jobToken: true }),
    schema: {
      summary: 'Get the latest artifacts of a branch or tag',
      description: 'Of the newest pipeline that has passed.',
      params: ByRef,
      querystring: OfJob,
      response: archives,
    },
    handler: async (req, reply) =>
      sendArchive(req, reply, await ofRef(req, req.params.ref_name, req.query.job)),
  })

  app.get(
    '/projects/:id/jobs/artifacts/:ref_name/raw/:artifact_path',
    {
      config: reads(project('read_pipeline'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'Get one file out of the latest artifacts of a branch or tag',
        params: ByFileOfRef,
        querystring: OfJob,
        refuses: [422],
        response: { 200: bytes },
      },
    },
    async (req, reply) =>
      sendEntry(req, reply, await ofRef(req, req.params.ref_name, req.query.job), req.params.artifact_path),
  )

  app.post(
    '/projects/:id/jobs/:job_id/artifacts/keep',
    {
      config: writes(project('update_job')),
      schema: { summary: 'Keep the artifacts of a job for ever', params: ByJob, response: { 200: Job } },
    },
    async (req) => {
      const { id } = await ofJob(req, req.params.job_id)
      await req.write(async (tx) => {
        const kept = await tx.db
          .updateTable('ci_job_artifacts')
          .set({ expire_at: null })
          .where('job_id', '=', id)
          .returning('id')
          .execute()
        if (kept.length === 0) throw notFound()
      })
      const row = await findJob(db, req.project().container.id, id)
      const now = services.clock.now().toISOString()
      return presentJob(row, { ...siteOf(req), viewer: req.viewer, now, users: await usersOf(db, [row]) })
    },
  )

  app.delete(
    '/projects/:id/jobs/:job_id/artifacts',
    {
      config: writes(project('erase_job')),
      schema: {
        summary: 'Delete the artifacts of a job',
        description: 'The log stays.',
        params: ByJob,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { id } = await ofJob(req, req.params.job_id)
      await req.write((tx) =>
        tx.db
          .deleteFrom('ci_job_artifacts')
          .where('job_id', '=', id)
          .where('file_type', '<>', 'trace')
          .execute(),
      )
    },
  )

  app.delete(
    '/projects/:id/artifacts',
    {
      config: writes(project('erase_job')),
      schema: {
        summary: 'Delete the artifacts of a project',
        description: 'In the background; those of the latest pipelines that have passed stay, and logs do.',
        params: ById,
        response: { 202: Message },
      },
    },
    async (req) => {
      const { id } = req.project().container
      await req.write((tx) => enqueue(tx, deleteArtifactsOfProject, { project_id: id, until: tx.now }))
      return { message: '202 Accepted' }
    },
  )
}
