import { expect } from 'vitest'
import { transact, type Tx } from '#platform/db/transaction.ts'
import { commits, importInto } from '#test/repositories.ts'
import { runJob } from '#program/testing/run-job.ts'
import { until } from '#test/until.ts'
import { w, type World } from '#test/world.ts'
import { finishJob, type JobEnd, startJob } from './jobs/finish-job.ts'

export interface ShownJob {
  readonly id: number
  readonly name: string
  readonly status: string
  readonly failure_reason?: string
}

const shownPipeline = ({ id, iid, status }: { id: number; iid: number; status: string }) => ({
  id,
  iid,
  status,
})

interface ProjectOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly world?: World
  readonly visibility?: 'private' | 'public'
  /** The group that it is in. */
  readonly parent?: number
}

/** A project with a configuration on its main branch, and what tests of pipelines ask of it. */
export async function projectWithCi(
  config: string,
  { files = {}, world = w, visibility = 'private', parent }: ProjectOptions = {},
) {
  const project = await world.project({ visibility, ...(parent !== undefined && { parent }) })
  await importInto(
    project,
    commits({ message: 'Begin', files: { '.gitlab-ci.yml': config, ...files } }),
    world,
  )
  const base = `/projects/${project.id}`

  const create = async (body: object = {}) => {
    const { status, body: made } = await project.developer.post(`${base}/pipeline`, { ref: 'main', ...body })
    expect([status, made.message]).toEqual([201, undefined])
    return shownPipeline(made)
  }
  const jobs = async (pipeline: number, query = ''): Promise<ShownJob[]> =>
    (await project.developer.get(`${base}/pipelines/${pipeline}/jobs?per_page=100${query}`)).body
  const job = async (pipeline: number, name: string): Promise<ShownJob> => {
    const all = [
      ...(await jobs(pipeline)),
      ...(await project.developer.get(`${base}/pipelines/${pipeline}/bridges`)).body,
    ]
    const found = all.find((one) => one.name === name)
    if (found === undefined) throw new Error(`No job ${name}`)
    return found
  }
  const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    transact(world.running.services, { author: null, ip: null }, work)
  return {
    ...project,
    base,
    create,
    jobs,
    job,
    /** The statuses of all jobs by name. */
    statuses: async (pipeline: number): Promise<Record<string, string>> =>
      Object.fromEntries((await jobs(pipeline)).map(({ name, status }) => [name, status])),
    statusOf: async (pipeline: number): Promise<string> =>
      (await project.developer.get(`${base}/pipelines/${pipeline}`)).body.status,
    start: async (pipeline: number, name: string) => {
      const { id } = await job(pipeline, name)
      await write((tx) => startJob(tx, id))
    },
    /** Ends a job as a runner would. */
    finish: async (pipeline: number, name: string, end: JobEnd['status'] | JobEnd = 'success') => {
      const { id } = await job(pipeline, name)
      await write((tx) => finishJob(tx, id, typeof end === 'string' ? { status: end } : end))
    },
    /** Lets a job do something, as tests of others let it. */
    run: async (pipeline: number, name: string, run: Parameters<typeof runJob>[2]) => {
      const { id } = await job(pipeline, name)
      await runJob(world.running.services, id, run)
      return id
    },
    /** Waits until a job has a status. */
    untilJob: (pipeline: number, name: string, status: string) =>
      until(async () => expect((await job(pipeline, name)).status).toBe(status)),
    write,
    /** The variables of a job as they are stored. */
    variablesOf: (jobId: number) =>
      world.db
        .selectFrom('ci_job_variables')
        .select(['job_id', 'key', 'value'])
        .where('job_id', '=', jobId)
        .execute(),
  }
}
