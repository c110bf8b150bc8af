import { sql } from 'kysely'
import { type Place, unique, w } from '#test/world.ts'
import { licensedAs } from '#test/access/licensed.ts'
import type {
  Asking,
  ProjectPlace,
  RouteExpectation,
  RouteExpectations,
} from '#test/access/route-expectation.ts'

const deploy_access_levels = [{ access_level: 40 }]

const inProject = (
  status: number,
  request: (place: ProjectPlace) => Asking | Promise<Asking>,
  whileArchived = false,
): RouteExpectation => ({ in: 'project', lowest: 'maintainer', status, whileArchived, request })

const inGroup = (
  status: number,
  request: (place: Place) => Asking | Promise<Asking>,
  whileArchived = false,
): RouteExpectation => ({ in: 'group', lowest: 'maintainer', status, whileArchived, request })

const environments = ({ id }: { id: number }) => `/projects/${id}/protected_environments`
const tiers = ({ id }: { id: number }) => `/groups/${id}/protected_environments`

/** A protected environment of its own. */
async function protectedIn(place: ProjectPlace): Promise<Asking> {
  const name = unique('environment')
  await licensedAs(place.admin).post(environments(place), { name, deploy_access_levels })
  return { path: `${environments(place)}/${name}` }
}

/** A protected tier; a group has few of them, so it may be there already. */
async function protectedTier(place: Place): Promise<Asking> {
  await licensedAs(place.admin).post(tiers(place), { name: 'staging', deploy_access_levels })
  return { path: `${tiers(place)}/staging` }
}

/** The tier, which nothing protects. */
async function openTier(place: Place): Promise<Asking> {
  await licensedAs(place.admin).delete(`${tiers(place)}/testing`)
  return { path: tiers(place), json: { name: 'testing', deploy_access_levels } }
}

/** A deployment that waits for the approval of a Maintainer. */
async function waiting(place: ProjectPlace): Promise<Asking> {
  const name = 'guarded'
  const approval_rules = [{ access_level: 40 }]
  await licensedAs(place.admin).post(environments(place), { name, deploy_access_levels, approval_rules })
  const slug = `e${place.id}`
  await sql`insert into environments (project_id, name, slug, tier, created_at, updated_at)
    values (${place.id}, ${name}, ${slug}, 'other', now(), now()) on conflict do nothing`.execute(w.db)
  const { rows } = await sql<{ id: number }>`
    insert into deployments (project_id, environment_id, iid, sha, ref, tag, status, user_id, created_at, updated_at)
    select project_id, id, (select coalesce(max(iid), 1000000) + 1 from deployments d where d.project_id = e.project_id and iid > 1000000), repeat('1', 40), 'main',
      false, 'blocked', ${place.developer.id}, now(), now()
    from environments e where e.project_id = ${place.id} and e.slug = ${slug} returning id`.execute(w.db)
  return {
    path: `/projects/${place.id}/deployments/${rows[0]?.id}/approval`,
    json: { status: 'approved' },
  }
}

export const protectedEnvironmentExpectations: RouteExpectations = {
  'GET /projects/:id/protected_environments': inProject(
    200,
    (place) => ({ path: environments(place) }),
    true,
  ),
  'GET /projects/:id/protected_environments/:name': inProject(200, protectedIn, true),
  'POST /projects/:id/protected_environments': inProject(201, (place) => ({
    path: environments(place),
    json: { name: unique('environment'), deploy_access_levels },
  })),
  'PUT /projects/:id/protected_environments/:name': inProject(200, async (place) => ({
    ...(await protectedIn(place)),
    json: { required_approval_count: 1 },
  })),
  'DELETE /projects/:id/protected_environments/:name': inProject(204, protectedIn),
  // What protects the environment says who: here Maintainers.
  'POST /projects/:id/deployments/:deployment_id/approval': inProject(201, waiting),
  'GET /groups/:id/protected_environments': inGroup(200, (place) => ({ path: tiers(place) }), true),
  'GET /groups/:id/protected_environments/:name': inGroup(200, protectedTier, true),
  'POST /groups/:id/protected_environments': inGroup(201, openTier),
  'PUT /groups/:id/protected_environments/:name': inGroup(200, async (place) => ({
    ...(await protectedTier(place)),
    json: { required_approval_count: 1 },
  })),
  'DELETE /groups/:id/protected_environments/:name': inGroup(200, protectedTier),
}
