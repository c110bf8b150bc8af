import { unique } from '#test/world.ts'
import type { RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

const forAdministrators = (
  status: number,
  request: Extract<RouteExpectation, { in: 'instance' }>['request'],
): RouteExpectation => ({ in: 'instance', lowest: 'administrator', status, request })

export const featureExpectations: RouteExpectations = {
  'GET /features': forAdministrators(200, () => ({ path: '/features' })),
  'GET /features/definitions': forAdministrators(200, () => ({ path: '/features/definitions' })),
  'POST /features/:name': forAdministrators(201, () => ({
    path: `/features/${unique('switch')}`,
    json: { value: 'false', force: true },
  })),
  'DELETE /features/:name': forAdministrators(204, async (w) => {
    const path = `/features/${unique('switch')}`
    await w.root.post(path, { value: 'false', force: true })
    return { path }
  }),
}
