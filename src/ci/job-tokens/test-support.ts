import { Client } from '#test/client.ts'
import { w, type World } from '#test/world.ts'
import { digestOf } from '#platform/access/digest.ts'
import { systemRandomness } from '#platform/context.ts'
import { projectWithCi } from '../test-support.ts'
import { newJobToken } from './job-token.ts'

export const CONFIG = 'build: { script: x }'

/** Gives a running job a runner, and so a token. @returns the token */
export async function tokenOfJob(jobId: number, world: World = w): Promise<string> {
  const { secret, digest } = newJobToken(systemRandomness)
  const now = world.running.services.clock.now().toISOString()
  const runner = await world.db
    .insertInto('ci_runners')
    .values({
      runner_type: 'instance_type',
      token_digest: digestOf(`runner of ${secret}`),
      by_registration: false,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await world.db
    .insertInto('ci_running_jobs')
    .values({ job_id: jobId, runner_id: runner.id, token_digest: digest, contacted_at: now })
    .execute()
  return secret
}

/** A client that sends the token of a job. */
export const jobClient = (token: string, world: World = w): Client =>
  new Client(world.url, { 'job-token': token })

/** A project whose job runs, started by its developer. */
export async function withRunningJob(options: Parameters<typeof projectWithCi>[1] = {}) {
  const project = await projectWithCi(CONFIG, options)
  const pipeline = await project.create()
  await project.start(pipeline.id, 'build')
  const job = await project.job(pipeline.id, 'build')
  const token = await tokenOfJob(job.id, options.world)
  return { ...project, pipeline, jobId: job.id, token, client: jobClient(token, options.world) }
}

let running: ReturnType<typeof withRunningJob> | undefined
/** One running job for all tests of a file that leave it as it is. */
export const runningJob = (): ReturnType<typeof withRunningJob> => (running ??= withRunningJob())
