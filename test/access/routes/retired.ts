import type { RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

const gone = (path: string): RouteExpectation => ({
  in: 'instance',
  lowest: 'anonymous',
  status: 404,
  request: () => ({ path }),
})
const LICENSES = '/projects/:id/managed_licenses'

/** Everybody hears that these are not here. */
export const retiredExpectations: RouteExpectations = {
  'GET /geo_nodes': gone('/geo_nodes'),
  'POST /geo_nodes': gone('/geo_nodes'),
  'GET /geo_nodes/status': gone('/geo_nodes/status'),
  'GET /geo_nodes/current/failures': gone('/geo_nodes/current/failures'),
  'GET /geo_nodes/:id': gone('/geo_nodes/1'),
  'PUT /geo_nodes/:id': gone('/geo_nodes/1'),
  'DELETE /geo_nodes/:id': gone('/geo_nodes/1'),
  'GET /geo_nodes/:id/status': gone('/geo_nodes/1/status'),
  'POST /geo_nodes/:id/repair': gone('/geo_nodes/1/repair'),
  [`GET ${LICENSES}`]: gone('/projects/1/managed_licenses'),
  [`POST ${LICENSES}`]: gone('/projects/1/managed_licenses'),
  [`GET ${LICENSES}/:managed_license_id`]: gone('/projects/1/managed_licenses/MIT'),
  [`PATCH ${LICENSES}/:managed_license_id`]: gone('/projects/1/managed_licenses/1'),
  [`DELETE ${LICENSES}/:managed_license_id`]: gone('/projects/1/managed_licenses/1'),
}
