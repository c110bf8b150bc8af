import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { BRANCHES, TAGS } from '#code/git/names.ts'
import { resolve } from '#code/git/resolve.ts'
import { Pipeline, presentPipeline } from '#code/pipelines/entity.ts'
import { findPipeline } from '#code/pipelines/queries.ts'
import { authorizeNamedProject } from '#platform/access/authorize.ts'
import { JOB_TOKEN_PREFIX } from '#platform/access/credentials.ts'
import { anyone, reads } from '#platform/access/route-access.ts'
import type { Db } from '#platform/db/pool.ts'
import { parameterIn } from '#platform/http/recognize.ts'
import { ById, hash, secret, text } from '#platform/http/schema.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import { invalid, notFound, Unidentified } from '#platform/refusals.ts'
import { identifyJob } from '../job-tokens/identify-job.ts'
import { createPipeline } from '../pipelines/create-pipeline.ts'
import type { NewPipeline } from '../pipelines/new-pipeline.ts'
import { readPipelineProject } from '../pipelines/pipeline-project.ts'
import { levelsAbove, MOST_UPSTREAM } from '../pipelines/start-downstream.ts'
import { payloadVariable } from './payload.ts'
import { findTriggerOfToken } from './queries.ts'

const ref = text({ max: 1_024, filled: true, description: 'The branch or tag.' })
const Triggering = {
  token: secret({ max: 255 }),
  variables: Type.Optional(hash(text({ max: 10_000 }), { description: 'Variables by their keys.' })),
  inputs: Type.Optional(
    hash(text({ max: 1_000 }), { description: 'Values of the inputs of the configuration.' }),
  ),
}
const TokenInUrl = Type.Object({ token: Triggering.token })
const WithRef = Type.Object({ ...Triggering, ref })
const WithoutRef = Type.Object(Triggering)
const ByRef = Type.Object({ ...ById.properties, ref })

/** The parameters of a request before those that nobody declared are left out. */
const sent = new WeakMap<FastifyRequest, object>()
const keepSent = async (req: FastifyRequest): Promise<void> => {
  if (typeof req.body === 'object' && req.body !== null) sent.set(req, req.body)
}

/** Programs in jobs send the token of their job with every request, also beside that of a trigger. */
const config = reads(anyone, { anonymous: true, jobToken: true })

/** Who starts a pipeline. */
type Starter = Pick<NewPipeline, 'projectId' | 'userId' | 'source' | 'triggerId' | 'upstreamJobId'>

/** Starts pipelines with nothing but the token of a trigger. */
export const triggeringRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  const find = (project: string, token: string) =>
    findTriggerOfToken(db, { project, token, now: services.clock.now().toISOString() })

  /** Lets whoever has the token in the URL, as webhooks do, send more than strangers may. */
  const vouchByUrl = async (req: FastifyRequest): Promise<void> => {
    if (Check(TokenInUrl, req.query))
      req.vouched = (await find(parameterIn(req, 'id'), req.query.token)) !== undefined
  }

  /** The job of a token, in a project that lets it in. @throws 404 for anything else, 403 where whoever started it may not */
  const startByJob = async (req: FastifyRequest, project: string, token: string): Promise<Starter> => {
    const { job, user } = await identifyJob(req, token).catch((error: unknown) => {
      throw error instanceof Unidentified ? notFound() : error
    })
    const { container } = await authorizeNamedProject(db, req.viewer, project, 'create_pipeline')
    await assertNotTooDeep(db, job.id)
    return { source: 'pipeline', projectId: container.id, userId: user.id, upstreamJobId: job.id }
  }

  /** The trigger of a token in the project that a path names. @throws 404 for anything else */
  const startByTrigger = async (project: string, token: string): Promise<Starter> => {
    const { id, project_id, owner_id } = orNotFound(await find(project, token))
    return { source: 'trigger', projectId: project_id, userId: owner_id, triggerId: id }
  }

  const wholeName = async (projectId: number, name: string): Promise<string> => {
    const repository = await services.repositories.ofProject(projectId)
    if (repository !== undefined) {
      if (await resolve(repository, name, 'heads')) return BRANCHES + name
      if (await resolve(repository, name, 'tags')) return TAGS + name
      if (/^refs\/(?:heads|tags)\/./.test(name) && (await resolve(repository, name))) return name
    }
    throw invalid({ base: ['Reference not found'] })
  }

  const start = async (
    req: FastifyRequest,
    project: string,
    name: string,
    { token, variables = {}, inputs }: Static<typeof WithoutRef>,
  ) => {
    const starter = token.startsWith(JOB_TOKEN_PREFIX)
      ? await startByJob(req, project, token)
      : await startByTrigger(project, token)
    const { projectId } = starter
    const id = await createPipeline(services, {
      ...starter,
      ref: await wholeName(projectId, name),
      variables: Object.entries(variables).map(([key, value]) => ({ key, value })),
      payload: payloadVariable(sent.get(req) ?? {}),
      ...(inputs && { inputs }),
    })
    const { full_path: fullPath } = await readPipelineProject(db, projectId)
    const row = await findPipeline(db, projectId, id, services.clock.now().toISOString())
    return presentPipeline(row, { site: req.site, fullPath })
  }

  app.post(
    '/projects/:id/trigger/pipeline',
    {
      config,
      onRequest: vouchByUrl,
      preValidation: keepSent,
      schema: {
        summary: 'Start a pipeline with a trigger',
        description:
          'The token of the trigger is all that it takes. The token of a job starts a pipeline downstream of the job. Jobs find what ' +
          'else was sent in the file `TRIGGER_PAYLOAD`.',
        params: ById,
        body: WithRef,
        response: { 201: Pipeline },
      },
    },
    (req) => start(req, req.params.id, req.body.ref, req.body),
  )

  app.post(
    '/projects/:id/ref/:ref/trigger/pipeline',
    {
      config,
      onRequest: vouchByUrl,
      preValidation: keepSent,
      schema: {
        summary: 'Start a pipeline of a branch or tag with a trigger',
        description: 'The same with the reference in the path, as the URL of a webhook.',
        params: ByRef,
        body: WithoutRef,
        response: { 201: Pipeline },
      },
    },
    (req) => start(req, req.params.id, req.params.ref, req.body),
  )
}

/** @throws 400 for pipelines that start each other without an end */
async function assertNotTooDeep(db: Db, jobId: number): Promise<void> {
  const { pipeline_id } = await db
    .selectFrom('ci_jobs')
    .select('pipeline_id')
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow(() => notFound())
  const { all } = await levelsAbove(db, pipeline_id)
  if (all >= MOST_UPSTREAM)
    throw invalid({ base: [`Pipelines can start each other ${MOST_UPSTREAM} times, and no more`] })
}
