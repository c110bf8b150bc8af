import { killJob } from '#administration/background-jobs/test-support.ts'
import type { Asking, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'
import type { World } from '#test/world.ts'

const forAdministrators = (
  status: number,
  request: (w: World) => Asking | Promise<Asking>,
): RouteExpectation => ({ in: 'instance', lowest: 'administrator', status, request })

/** One that is harmless when it runs. */
const dead = (w: World) => killJob(w, { task: 'licenses/count-billable-users' })

export const backgroundJobExpectations: RouteExpectations = {
  'GET /background_jobs/dead': forAdministrators(200, () => ({ path: '/background_jobs/dead' })),
  'POST /background_jobs/dead/:id/retry': forAdministrators(202, async (w) => ({
    path: `/background_jobs/dead/${await dead(w)}/retry`,
  })),
  'POST /background_jobs/dead/retry': forAdministrators(202, () => ({ path: '/background_jobs/dead/retry' })),
}
