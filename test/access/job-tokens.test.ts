import { afterAll, describe, expect, test } from 'vitest'
import type { DeclaredRoute } from '#platform/http/declared-routes.ts'
import { jobClient, tokenOfJob } from '#ci/job-tokens/test-support.ts'
import { finishJob, startJob } from '#ci/jobs/finish-job.ts'
import { isChosen } from '#test/chosen-routes.ts'
import { type Actor, w } from '#test/world.ts'
import { expectations } from './expected-routes.ts'
import { sendTo } from './licensed.ts'
import { nameOf } from './requests.ts'
import type { ProjectPlace } from './route-expectation.ts'
import { withCi } from './with-ci.ts'

/**
 * The routes that take the token of a job, written down a second time: every other route refuses it. A job gets what whoever started it
 * gets.
 */
const taking = new Set([
  'GET /job',
  'POST /projects/:id/trigger/pipeline',
  'POST /projects/:id/ref/:ref/trigger/pipeline',

  'GET /projects/:id/repository/branches',
  'GET /projects/:id/repository/changelog',
  'GET /projects/:id/repository/commits/:sha',
  'GET /projects/:id/repository/commits/:sha/merge_requests',
  'GET /projects/:id/repository/files/:file_path/raw',
  'GET /projects/:id/repository/tags',

  'GET /projects/:id/issues',
  'GET /projects/:id/issues/:issue_iid',
  'GET /projects/:id/merge_requests',
  'GET /projects/:id/merge_requests/:merge_request_iid',
  'GET /projects/:id/merge_requests/:merge_request_iid/notes',
  'GET /projects/:id/merge_requests/:merge_request_iid/notes/:note_id',

  'GET /projects/:id/jobs',
  'GET /projects/:id/jobs/:job_id/artifacts',
  'GET /projects/:id/jobs/:job_id/artifacts/:artifact_path',
  'GET /projects/:id/jobs/:job_id/artifacts/tree',
  'GET /projects/:id/jobs/artifacts/:ref_name/download',
  'GET /projects/:id/jobs/artifacts/:ref_name/raw/:artifact_path',
  'GET /projects/:id/pipelines',
  'GET /projects/:id/pipelines/:pipeline_id',
  'GET /projects/:id/pipelines/:pipeline_id/bridges',
  'GET /projects/:id/pipelines/:pipeline_id/jobs',
  'PUT /projects/:id/pipelines/:pipeline_id/metadata',

  'GET /projects/:id/registry/repositories',
  'GET /projects/:id/registry/repositories/:repository_id/tags',
  'GET /projects/:id/registry/repositories/:repository_id/tags/:tag_name',
  'DELETE /projects/:id/registry/repositories/:repository_id',
  'DELETE /projects/:id/registry/repositories/:repository_id/tags',
  'DELETE /projects/:id/registry/repositories/:repository_id/tags/:tag_name',
  'GET /projects/:id/packages',
  'GET /projects/:id/packages/:package_id',
  'GET /projects/:id/packages/:package_id/package_files',
  'GET /projects/:id/packages/:package_id/pipelines',
  'GET /projects/:id/packages/generic/:package_name/:package_version/:file_name',
  'PUT /projects/:id/packages/generic/:package_name/:package_version/:file_name',
  'DELETE /projects/:id/packages/:package_id',
  'GET /projects/:id/packages/go/:module_name/@v/list',
  'GET /projects/:id/packages/go/:module_name/@latest',
  'GET /projects/:id/packages/go/:module_name/@v/:module_version',
  'GET /projects/:id/packages/npm/:package_name',
  'GET /projects/:id/packages/npm/:package_name/-/:file_name',
  'PUT /projects/:id/packages/npm/:package_name',
  'GET /projects/:id/packages/npm/-/package/:package_name/dist-tags',
  'PUT /projects/:id/packages/npm/-/package/:package_name/dist-tags/:tag',
  'DELETE /projects/:id/packages/npm/-/package/:package_name/dist-tags/:tag',
  'GET /groups/:id/-/packages/npm/:package_name',
  'GET /groups/:id/-/packages/npm/-/package/:package_name/dist-tags',
  'GET /projects/:id/packages/maven/:path/:file_name',
  'PUT /projects/:id/packages/maven/:path/:file_name',
  'GET /groups/:id/-/packages/maven/:path/:file_name',
  'GET /packages/maven/:path/:file_name',
  'POST /projects/:id/packages/pypi',
  'GET /projects/:id/packages/pypi/simple',
  'GET /projects/:id/packages/pypi/simple/:package_name',
  'GET /projects/:id/packages/pypi/files/:sha256/:file_identifier',
  'GET /groups/:id/-/packages/pypi/simple',
  'GET /groups/:id/-/packages/pypi/simple/:package_name',
  'GET /groups/:id/-/packages/pypi/files/:sha256/:file_identifier',

  'GET /projects/:id/secure_files',
  'GET /projects/:id/secure_files/:secure_file_id',
  'GET /projects/:id/secure_files/:secure_file_id/download',
  'POST /projects/:id/secure_files',
  'DELETE /projects/:id/secure_files/:secure_file_id',

  'GET /projects/:id/deployments',
  'GET /projects/:id/deployments/:deployment_id',
  'GET /projects/:id/deployments/:deployment_id/merge_requests',
  'POST /projects/:id/deployments',
  'POST /projects/:id/deployments/:deployment_id/approval',
  'PUT /projects/:id/deployments/:deployment_id',
  'DELETE /projects/:id/deployments/:deployment_id',

  'GET /projects/:id/environments',
  'GET /projects/:id/environments/:environment_id',
  'POST /projects/:id/environments',
  'POST /projects/:id/environments/:environment_id/stop',
  'PUT /projects/:id/environments/:environment_id',
  'DELETE /projects/:id/environments/:environment_id',
  'DELETE /projects/:id/environments/review_apps',

  'GET /projects/:id/releases',
  'GET /projects/:id/releases/:tag_name',
  'POST /projects/:id/releases',
  'PUT /projects/:id/releases/:tag_name',
  'DELETE /projects/:id/releases/:tag_name',
  'GET /projects/:id/releases/permalink/latest',
  'GET /projects/:id/releases/permalink/latest/:suffix_path',
  'GET /projects/:id/releases/:tag_name/downloads/:direct_asset_path',
  'GET /projects/:id/releases/:tag_name/evidences/:evidence_id',
  'POST /projects/:id/releases/:tag_name/evidence',
  'GET /projects/:id/releases/:tag_name/assets/links',
  'GET /projects/:id/releases/:tag_name/assets/links/:link_id',
  'POST /projects/:id/releases/:tag_name/assets/links',
  'PUT /projects/:id/releases/:tag_name/assets/links/:link_id',
  'DELETE /projects/:id/releases/:tag_name/assets/links/:link_id',
])

const routes = w.running.app.declaredRoutes.filter(({ access }) => !access.outside)

let cells = 0
afterAll(() => console.log(`job tokens: ${routes.length} routes, ${cells} cells`))

/** A job of a project, and one that has ended. */
async function jobsOf(place: ProjectPlace, by: Actor) {
  const path = await withCi(place)
  const { body: pipeline } = await by.post(`${path}/pipeline`, { ref: 'ci' })
  const { body: jobs } = await by.get(`${path}/pipelines/${pipeline.id}/jobs?scope=pending`)
  const [{ id }] = jobs
  await w.write((tx) => startJob(tx, id))
  return { id, client: jobClient(await tokenOfJob(id)) }
}

async function stage() {
  const place = await w.project()
  const own = await jobsOf(place, place.owner)
  const ended = await jobsOf(place, place.owner)
  await w.write((tx) => finishJob(tx, ended.id, { status: 'success' }))
  const other = await w.project()
  await w.member(other.namespaceId, place.owner, 50)
  return { place, own: own.client, ended: ended.client, elsewhere: (await jobsOf(other, place.owner)).client }
}

let staged: ReturnType<typeof stage> | undefined
const theStage = () => (staged ??= stage())

test('every route that is named here exists', () => {
  const names = new Set(routes.map(nameOf))
  expect([...taking].filter((name) => !names.has(name))).toEqual([])
})

test('every other route refuses the token of a job, whatever it is about', async () => {
  const { own } = await theStage()
  const answered: Record<string, unknown> = {}
  const refused = [401, '401 Unauthorized - this endpoint does not accept job tokens']
  const send = async (route: DeclaredRoute) => {
    cells += 1
    const { status, body } = await own.send(route.method, `${w.url}${route.url.replaceAll(/:\w+/g, '1')}`)
    if (status !== refused[0] || body.message !== refused[1]) answered[nameOf(route)] = [status, body]
  }
  const others = routes.filter((one) => isChosen(one) && !taking.has(nameOf(one)))
  for (let first = 0; first < others.length; first += 20)
    await Promise.all(others.slice(first, first + 20).map(send))
  expect(answered).toEqual({})
})

/** Who gets which status of a route in a project. */
async function statusesOf(route: DeclaredRoute) {
  const expectation = expectations.get(nameOf(route))
  if (expectation?.in !== 'project') throw new Error(`${nameOf(route)} is about no project`)
  const { place, own, ended, elsewhere } = await theStage()
  const asking = await expectation.request(place, w)
  const found: Record<string, number> = {}
  // The last one may change what the others ask for.
  for (const [who, client] of Object.entries({ ended, elsewhere, own })) {
    found[who] = (await sendTo(route, client, asking)).status
    cells += 1
  }
  return { found, wanted: { ended: 401, elsewhere: 403, own: expectation.status } }
}

describe('a job of the project is answered as its person is, and no job that has ended or is of another project:', () => {
  for (const route of routes.filter((one) => isChosen(one) && taking.has(nameOf(one)))) {
    // Those that are about no project have tests beside them.
    if (route.access.subject.kind !== 'project') continue
    test(nameOf(route), async () => {
      const { found, wanted } = await statusesOf(route)
      expect(found).toEqual(wanted)
    })
  }
})
