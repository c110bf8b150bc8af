import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { Check } from 'typebox/schema'
import { digestOf } from '#platform/access/digest.ts'
import { outside } from '#platform/access/route-access.ts'
import { sendFile } from '#platform/files/send-file.ts'
import { raw, streamed } from '#platform/http/body-kind.ts'
import { clientOf } from '#platform/http/client-left.ts'
import { API } from '#platform/http/routing.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { badRequest, notFound, unauthorized, Unidentified } from '#platform/refusals.ts'
import { appendTrace } from './append-trace.ts'
import { type AskingRunner, findAskingRunner, isUnchanged } from './asking-runner.ts'
import { archiveFor } from './download.ts'
import { aboutJob, refused } from './errors.ts'
import { failUnsupported, findJob } from './find-job.ts'
import { type Asking, giveAgain, type GivenJob, takeBack } from './give-job.ts'
import { JobQueue, type Watch } from './job-queue.ts'
import { featuresIn, noteRequest, noteWork } from './note-request.ts'
import { AboutArtifact, ByJob, Download, JobRequest, JobUpdate } from './parameters.ts'
import { keepReceived, receiveArtifact } from './receive-artifact.ts'
import { findRunningJob, hasEnded, type RunningJob, statusOf } from './running-job.ts'
import { end, updateJob } from './update-job.ts'

/** Milliseconds for which a request of a runner may wait for a job. */
const HOLD = 50_000
/** Requests of one runner that wait at once; others are answered. */
const MOST_HELD = 100
/** Bytes of one part of a log. */
const MOST_PIECE = 4 * 1024 * 1024

/**
 * What runners ask and tell: the protocol of GitLab's runners. They show tokens of their own, of a runner or of a job, and no other
 * credentials count.
 */
export const jobRequestPages: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const queue = new JobQueue({
    listener: services.listener,
    random: services.random,
    anyWaits: async (jobs) => {
      const { rows } = await sql`
        select from ci_jobs where ${isAnyOf('id', jobs)} and status = 'pending' limit 1`.execute(db)
      return rows.length > 0
    },
  })
  app.addHook('preClose', async () => queue.close())

  /** The runner that asks. @throws 403 for a wrong token, which counts as one; 429 */
  const runnerOf = async (req: FastifyRequest, { token, system_id }: JobRequest): Promise<AskingRunner> => {
    const systemId = system_id === '' ? undefined : system_id
    const find = async () => {
      const found = await findAskingRunner(db, { token, systemId }, services.clock.now())
      if (found === undefined) throw unauthorized()
      return found
    }
    try {
      const runner = await services.failedAuthentications.watch(req.ip, digestOf(token), find)
      req.callerName = `runner ${runner.id}`
      return runner
    } catch (error) {
      throw error instanceof Unidentified ? refused(403, '403 Forbidden - invalid token') : error
    }
  }

  /** Looks for a job once, unless it is known that there is none. */
  const search = async (watch: Watch, asking: Asking, key: string): Promise<GivenJob | undefined> => {
    for (let times = 0; times < 3 && !queue.isIdle(key); times += 1) {
      watch.wasTold = false
      const found = await findJob(services, queue, asking)
      if (found.job !== undefined) return found.job
      if (!found.isEmpty || (await failUnsupported(services, asking)) > 0 || watch.wasTold) continue
      queue.noteIdle(key, asking.runner)
    }
    return undefined
  }

  /** Waits for a job as long as the client may. */
  const searchAndWait = async (
    asking: Asking,
    { waits, left }: { readonly waits: boolean; readonly left: AbortSignal },
  ): Promise<GivenJob | undefined> => {
    const { runner, features } = asking
    const key = JSON.stringify([runner.id, runner.updated_at, runner.projects, features])
    const until = performance.now() + HOLD
    const watch = await queue.watch(runner)
    let job: GivenJob | undefined
    try {
      job = await search(watch, asking, key)
      if (!waits) return job
      while (job === undefined && (await watch.wait(until - performance.now(), left))) {
        // It asks again, by the token and with the settings that it has now.
        if (!(await isUnchanged(db, runner))) return undefined
        job = await search(watch, asking, key)
        await watch.searched(job !== undefined)
      }
      return job
    } finally {
      await watch.end(job !== undefined)
    }
  }

  /** The job that a path names, for its runner. @throws 403, 404 */
  const ownJob = async (req: FastifyRequest, id: number, token?: string): Promise<RunningJob> => {
    const job = await findRunningJob(db, id, tokenOf(req, token))
    req.callerName = `runner ${job.runner_id}`
    await noteWork(services, job)
    return job
  }

  app.post(`${API}/jobs/request`, { config: outside, schema: { body: JobRequest } }, async (req, reply) => {
    const { system_id, info = {}, last_update = '', request_id } = req.body
    const known = await runnerOf(req, req.body)
    const runner = await noteRequest(services, known, system_id === '' ? undefined : system_id, info)
    const asking: Asking = { runner, features: featuresIn(info), requestId: request_id }
    reply.header('x-gitlab-last-update', queue.stamp)
    const left = clientOf(reply)
    const job = runner.paused
      ? undefined
      : ((await giveAgain(services, asking)) ??
        (await searchAndWait(asking, {
          waits: last_update !== '' && queue.held(runner.id) < MOST_HELD,
          left,
        })))
    if (job === undefined) return reply.code(204).send()
    if (left.aborted) await takeBack(services, job.id)
    return sendJson(reply, 201, job.json)
  })

  app.put(
    `${API}/jobs/:id`,
    { config: outside, schema: { params: ByJob, body: JobUpdate } },
    async (req, reply) => {
      const job = await ownJob(req, req.params.id, req.body.token)
      const { outcome, status } = await updateJob(services, job, req.body)
      if (outcome === 'ended') throw hasEnded(await statusOf(db, job.id))
      reply.headers(aboutJob(status))
      return outcome === 'accepted' ? sendJson(reply, 202, 202) : sendJson(reply, 200, 200)
    },
  )

  app.patch(
    `${API}/jobs/:id/trace`,
    { config: { ...outside, ...raw(MOST_PIECE) }, schema: { params: ByJob } },
    async (req, reply) => {
      const job = await ownJob(req, req.params.id)
      const start = startOf(req.headers['content-range'])
      const { size, outcome } = await appendTrace(services, job, start, await req.bodyBytes().all())
      if (outcome === 'too long')
        await end(services, job.id, { status: 'failed', failureReason: 'trace_size_exceeded' })
      if (outcome === 'ended' || outcome === 'too long') throw hasEnded(await statusOf(db, job.id))
      const headers = { ...aboutJob(job.status), range: `0-${size}` }
      if (outcome === 'other place') throw refused(416, '416 Range Not Satisfiable', headers)
      return sendJson(reply.headers(headers), 202, 202)
    },
  )

  app.post(
    `${API}/jobs/:id/artifacts`,
    { config: { ...outside, ...streamed }, schema: { params: ByJob } },
    async (req, reply) => {
      const job = await ownJob(req, req.params.id)
      const body = {
        stream: req.bodyStream(),
        contentType: req.headers['content-type'],
        claim: app.bodyMemory.for(reply.raw),
      }
      const stored = await receiveArtifact(services, job.id, body, aboutIn(req.query))
      if (!(await keepReceived(services, job, stored))) throw hasEnded(await statusOf(db, job.id))
      return sendJson(reply, 201, 201)
    },
  )

  app.get(
    `${API}/jobs/:id/artifacts`,
    { config: outside, schema: { params: ByJob, querystring: Download } },
    async (req, reply) => {
      const token = tokenOf(req, req.query.token)
      const archive = token === undefined ? undefined : await archiveFor(db, req.params.id, token)
      if (archive === undefined) throw refused(403, '403 Forbidden')
      const file = archive.file_id === null ? undefined : await services.files.find(archive.file_id)
      if (file === undefined) throw notFound()
      const bytes = await sendFile(req, reply, file, {
        filename: archive.filename ?? 'artifacts.zip',
        mediaType: 'application/zip',
        inline: false,
        redirects: req.query.direct_download === true,
      })
      return bytes ?? reply
    },
  )
}

/** What a query says of an artifact. @throws 400 for what is none of its fields */
function aboutIn(query: unknown): AboutArtifact {
  if (Check(AboutArtifact, query)) return query
  throw badRequest('artifact_type, artifact_format and expire_in are texts of at most 255 characters')
}

/** The token of a job, in the header or as a parameter. */
function tokenOf({ headers }: FastifyRequest, parameter: string | undefined): string | undefined {
  const { 'job-token': sent } = headers
  return typeof sent === 'string' && sent !== '' ? sent : parameter
}

/** Where a part of a log begins. Some runners count its end in, others do not. @throws 400 */
function startOf(range: string | undefined): number {
  const start = /^(?:bytes\s+)?(\d{1,15})-\d{1,15}(?:\/\S*)?$/.exec(range ?? '')?.[1]
  if (start === undefined) throw refused(400, '400 Missing header Content-Range')
  return Number(start)
}

const sendJson = (reply: FastifyReply, status: number, body: object | number) =>
  reply.code(status).type('application/json').send(JSON.stringify(body))
