import { runJob } from '#program/testing/run-job.ts'
import { w } from '#test/world.ts'
import { withCi } from '#test/access/with-ci.ts'
import {
  type Asking,
  onceIn,
  type ProjectPlace,
  type RouteExpectation,
  type RouteExpectations,
} from '#test/access/route-expectation.ts'

// What they see depends on `public_jobs`, which tests of pipelines switch off.

const base = ({ id }: ProjectPlace) => `/projects/${id}`

async function made(place: ProjectPlace, by: 'admin' | 'owner' = 'admin'): Promise<number> {
  await withCi(place)
  const { body } = await place[by].post(`${base(place)}/pipeline`, { ref: 'ci' })
  return body.id
}
/** For those who only read. */
const once = onceIn((place) => made(place))

async function jobOf(place: ProjectPlace, name: string, pipeline?: number): Promise<number> {
  const id = pipeline ?? (await made(place))
  const { body } = await place.admin.get(`${base(place)}/pipelines/${id}/jobs`)
  return body.find((job: { name: string }) => job.name === name).id
}

const reading = (rest: (place: ProjectPlace) => Promise<string>): RouteExpectation => ({
  in: 'project',
  lowest: 'readers',
  status: 200,
  request: async (place) => ({ path: `${base(place)}/${await rest(place)}` }),
})
const writing = (
  lowest: 'developer' | 'owner',
  status: number,
  request: (place: ProjectPlace) => Promise<Asking>,
): RouteExpectation => ({ in: 'project', lowest, status, whileArchived: false, request })

const acting = (status: number, rest: (place: ProjectPlace) => Promise<string>, json?: object) =>
  writing('developer', status, async (place) => ({ path: `${base(place)}/${await rest(place)}`, json }))

const ended = async (place: ProjectPlace): Promise<number> => {
  const id = await jobOf(place, 'job')
  await place.admin.post(`${base(place)}/jobs/${id}/cancel`)
  return id
}

const mergeRequest = onceIn(async (place) => {
  await withCi(place)
  await place.admin.post(`${base(place)}/repository/commits`, {
    branch: 'topic',
    start_branch: 'ci',
    commit_message: 'Change',
    actions: [{ action: 'create', file_path: 'topic.txt', content: 'x' }],
  })
  const { body } = await place.admin.post(`${base(place)}/merge_requests`, {
    source_branch: 'topic',
    target_branch: 'ci',
    title: 'Topic',
  })
  return `${base(place)}/merge_requests/${body.iid}/pipelines`
})

export const mergeRequestPipelineExpectations: RouteExpectations = {
  'POST /projects/:id/merge_requests/:merge_request_iid/pipelines': writing(
    'developer',
    201,
    async (place) => ({
      path: await mergeRequest(place),
    }),
  ),
}

export const lintExpectations: RouteExpectations = {
  'GET /projects/:id/ci/lint': {
    in: 'project',
    lowest: 'code readers',
    status: 200,
    request: (place) => ({ path: `${base(place)}/ci/lint` }),
  },
  'POST /projects/:id/ci/lint': writing('developer', 200, (place) =>
    Promise.resolve({ path: `${base(place)}/ci/lint`, json: { content: 'job: { script: x }' } }),
  ),
}

export const pipelineExpectations: RouteExpectations = {
  'GET /projects/:id/pipelines': reading(() => Promise.resolve('pipelines')),
  'GET /projects/:id/pipelines/latest': reading(async (place) => {
    await once(place)
    return 'pipelines/latest?ref=ci'
  }),
  'GET /projects/:id/pipelines/:pipeline_id': reading(async (place) => `pipelines/${await once(place)}`),
  'GET /projects/:id/pipelines/:pipeline_id/jobs': reading(
    async (place) => `pipelines/${await once(place)}/jobs`,
  ),
  'GET /projects/:id/pipelines/:pipeline_id/bridges': reading(
    async (place) => `pipelines/${await once(place)}/bridges`,
  ),
  'GET /projects/:id/pipelines/:pipeline_id/variables': {
    in: 'project',
    lowest: 'maintainer',
    status: 200,
    request: async (place) => ({ path: `${base(place)}/pipelines/${await once(place)}/variables` }),
  },
  'GET /projects/:id/pipelines/:pipeline_id/test_report': reading(
    async (place) => `pipelines/${await once(place)}/test_report`,
  ),
  'GET /projects/:id/pipelines/:pipeline_id/test_report_summary': reading(
    async (place) => `pipelines/${await once(place)}/test_report_summary`,
  ),
  'GET /projects/:id/jobs': reading(() => Promise.resolve('jobs')),
  'GET /projects/:id/jobs/:job_id': reading(
    async (place) => `jobs/${await jobOf(place, 'job', await once(place))}`,
  ),
  'POST /projects/:id/pipeline': writing('developer', 201, async (place) => ({
    path: `${await withCi(place)}/pipeline`,
    json: { ref: 'ci' },
  })),
  'POST /projects/:id/pipelines/:pipeline_id/retry': acting(
    201,
    async (place) => `pipelines/${await made(place)}/retry`,
  ),
  'POST /projects/:id/pipelines/:pipeline_id/cancel': acting(
    200,
    async (place) => `pipelines/${await made(place)}/cancel`,
  ),
  'PUT /projects/:id/pipelines/:pipeline_id/metadata': acting(
    200,
    async (place) => `pipelines/${await made(place)}/metadata`,
    { name: 'x' },
  ),
  'DELETE /projects/:id/pipelines/:pipeline_id': writing('owner', 204, async (place) => ({
    path: `${base(place)}/pipelines/${await made(place)}`,
  })),
  'POST /projects/:id/jobs/:job_id/cancel': acting(
    201,
    async (place) => `jobs/${await jobOf(place, 'job')}/cancel`,
  ),
  'POST /projects/:id/jobs/:job_id/retry': acting(201, async (place) => `jobs/${await ended(place)}/retry`),
  'POST /projects/:id/jobs/:job_id/play': acting(
    200,
    async (place) => `jobs/${await jobOf(place, 'manual')}/play`,
  ),
  'POST /projects/:id/jobs/:job_id/erase': {
    in: 'project',
    lowest: 'maintainer',
    status: 201,
    whileArchived: false,
    request: async (place) => ({ path: `${base(place)}/jobs/${await ended(place)}/erase` }),
  },
}

/** A job that has left files behind. */
async function withArtifacts(place: ProjectPlace): Promise<number> {
  const id = await jobOf(place, 'job')
  const run = { status: 'success', artifacts: { 'a.txt': 'a' } } as const
  await runJob(w.running.services, id, run)
  return id
}
const onceWithArtifacts = onceIn(withArtifacts)

/** A passed pipeline of the main branch. */
const passed = onceIn(async (place) => {
  await onceWithArtifacts(place)
  return 'jobs/artifacts/ci'
})

export const artifactExpectations: RouteExpectations = {
  'GET /projects/:id/jobs/:job_id/trace': reading(
    async (place) => `jobs/${await jobOf(place, 'job', await once(place))}/trace`,
  ),
  'GET /projects/:id/jobs/:job_id/artifacts': reading(
    async (place) => `jobs/${await onceWithArtifacts(place)}/artifacts`,
  ),
  'GET /projects/:id/jobs/:job_id/artifacts/tree': reading(
    async (place) => `jobs/${await onceWithArtifacts(place)}/artifacts/tree`,
  ),
  'GET /projects/:id/jobs/:job_id/artifacts/:artifact_path': reading(
    async (place) => `jobs/${await onceWithArtifacts(place)}/artifacts/a.txt`,
  ),
  'GET /projects/:id/jobs/artifacts/:ref_name/download': reading(
    async (place) => `${await passed(place)}/download?job=job`,
  ),
  'GET /projects/:id/jobs/artifacts/:ref_name/raw/:artifact_path': reading(
    async (place) => `${await passed(place)}/raw/a.txt?job=job`,
  ),
  'POST /projects/:id/jobs/:job_id/artifacts/keep': acting(
    200,
    async (place) => `jobs/${await withArtifacts(place)}/artifacts/keep`,
  ),
  'DELETE /projects/:id/jobs/:job_id/artifacts': {
    in: 'project',
    lowest: 'maintainer',
    status: 204,
    whileArchived: false,
    request: async (place) => ({ path: `${base(place)}/jobs/${await withArtifacts(place)}/artifacts` }),
  },
  'DELETE /projects/:id/artifacts': {
    in: 'project',
    lowest: 'maintainer',
    status: 202,
    whileArchived: false,
    request: (place) => ({ path: `${base(place)}/artifacts` }),
  },
}
