import type { World } from '#test/world.ts'
import type { Asking, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

const forAdministrators = (
  status: number,
  request: (w: World) => Asking | Promise<Asking>,
): RouteExpectation => ({ in: 'instance', lowest: 'administrator', status, request })

/** None that counts today: what other tests may use stays free. */
const terms = { starts_at: '2999-01-01', expires_at: '2999-12-31' }
const made = async (w: World, rest = ''): Promise<Asking> => ({
  path: `/license/${await w.license(terms)}${rest}`,
})

export const licenseExpectations: RouteExpectations = {
  'GET /license': forAdministrators(200, () => ({ path: '/license' })),
  'GET /licenses': forAdministrators(200, () => ({ path: '/licenses' })),
  'GET /license/:id': forAdministrators(200, (w) => made(w)),
  'POST /license': forAdministrators(201, async (w) => ({
    path: '/license',
    json: { license: await w.licenseString(terms) },
  })),
  'POST /license/issue': forAdministrators(201, () => ({
    path: '/license/issue',
    json: { plan: 'premium', ...terms },
  })),
  'DELETE /license/:id': forAdministrators(204, (w) => made(w)),
  'PUT /license/:id/refresh_billable_users': forAdministrators(202, (w) =>
    made(w, '/refresh_billable_users'),
  ),
  'GET /license/usage_export.csv': forAdministrators(200, () => ({ path: '/license/usage_export.csv' })),
  'GET /license/usage_export': forAdministrators(200, () => ({ path: '/license/usage_export' })),
}
