import { createLog } from '#platform/log.ts'
import { jobContext } from '#platform/jobs/context.ts'
import type { AnyTask } from '#platform/jobs/task.ts'
import { branchedProject } from '#test/merge-requests.ts'
import { type Actor, type ContainerOptions, w } from '#test/world.ts'

/** A project with branches, and where its environments, deployments and freeze periods are. */
export async function deployedProject(options?: ContainerOptions) {
  const project = await branchedProject(options)
  const base = `/projects/${project.id}`
  return {
    ...project,
    base,
    environments: `${base}/environments`,
    deployments: `${base}/deployments`,
    periods: `${base}/freeze_periods`,
  }
}

type Deployed = Awaited<ReturnType<typeof deployedProject>>

/** Makes an environment. @returns the answer with its path */
export async function environmentOf(place: Deployed, given: object = {}, by: Actor = place.developer) {
  const { status, body, text } = await by.post(place.environments, { name: 'production', ...given })
  if (status !== 201) throw new Error(`${status}: ${text}`)
  return { ...body, path: `${place.environments}/${body.id}` }
}

/** Tells of a deployment of `main` to `production`. @returns the answer with its path */
export async function deploymentOf(place: Deployed, given: object = {}, by: Actor = place.developer) {
  const wanted = {
    environment: 'production',
    sha: 'main',
    ref: 'main',
    tag: false,
    status: 'running',
    ...given,
  }
  const { status, body, text } = await by.post(place.deployments, wanted)
  if (status !== 201) throw new Error(`${status}: ${text}`)
  return { ...body, path: `${place.deployments}/${body.id}` }
}

/** Runs a task of the schedule at once. */
export function runTask(task: AnyTask): Promise<void> {
  const services = { ...w.running.services, log: createLog('silent') }
  return task.execute({}, jobContext(services, { attempt: 1, signal: new AbortController().signal }))
}
