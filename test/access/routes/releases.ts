import { giveBranches } from '#test/repositories.ts'
import type {
  Asking,
  ProjectPlace,
  RouteExpectation,
  RouteExpectations,
} from '#test/access/route-expectation.ts'

const inProject = (
  lowest: 'readers' | 'code readers' | 'developer',
  status: number,
  request: (place: ProjectPlace) => Asking | Promise<Asking>,
): RouteExpectation => ({ in: 'project', lowest, status, whileArchived: lowest !== 'developer', request })

const base = ({ id }: ProjectPlace) => `/projects/${id}/releases`
let count = 0

/** A commit of a project, which gets some unless it has. */
async function commitOf(place: ProjectPlace): Promise<string> {
  const path = `/projects/${place.id}/repository/branches`
  if ((await place.admin.get(path)).body.length === 0) await giveBranches(place)
  return (await place.admin.get(path)).body[0].commit.id
}

/** A release with a link, on a commit of its own. */
async function made(place: ProjectPlace) {
  const ref = await commitOf(place)
  const tag = `v${++count}`
  const assets = { links: [{ name: 'tool', url: 'https://example.org/tool', direct_asset_path: '/tool' }] }
  const { body } = await place.admin.post(base(place), { tag_name: tag, ref, assets })
  const path = `${base(place)}/${tag}`
  const [evidence = ''] = /\d+(?=\.json$)/.exec(body.evidences[0].filepath) ?? []
  return {
    path,
    links: `${path}/assets/links`,
    link: `${path}/assets/links/${body.assets.links[0].id}`,
    evidence,
  }
}

const of =
  (find: (release: Awaited<ReturnType<typeof made>>) => Asking) =>
  async (place: ProjectPlace): Promise<Asking> =>
    find(await made(place))

const latest =
  (suffix = '') =>
  async (place: ProjectPlace): Promise<Asking> => {
    await made(place)
    return { path: `${base(place)}/permalink/latest${suffix}` }
  }

/** Everybody who may read the project sees its releases; what they say of code is for code readers; Developers make them. */
export const releaseExpectations: RouteExpectations = {
  'GET /projects/:id/releases': inProject('readers', 200, (place) => ({ path: base(place) })),
  'GET /projects/:id/releases.atom': inProject('readers', 200, (place) => ({ path: `${base(place)}.atom` })),
  'GET /groups/:id/releases': {
    in: 'group',
    lowest: 'readers',
    status: 200,
    request: ({ id }) => ({ path: `/groups/${id}/releases` }),
  },
  'GET /projects/:id/releases/:tag_name': inProject(
    'code readers',
    200,
    of(({ path }) => ({ path })),
  ),
  'POST /projects/:id/releases': inProject('developer', 201, async (place) => {
    const ref = await commitOf(place)
    return { path: base(place), json: { tag_name: `v${++count}`, ref } }
  }),
  'PUT /projects/:id/releases/:tag_name': inProject(
    'developer',
    200,
    of(({ path }) => ({ path, json: { name: 'Other' } })),
  ),
  'DELETE /projects/:id/releases/:tag_name': inProject(
    'developer',
    200,
    of(({ path }) => ({ path })),
  ),
  'GET /projects/:id/releases/permalink/latest': inProject('code readers', 302, latest()),
  'GET /projects/:id/releases/permalink/latest/:suffix_path': inProject(
    'code readers',
    302,
    latest('/downloads/tool'),
  ),
  'GET /projects/:id/releases/:tag_name/downloads/:direct_asset_path': inProject(
    'code readers',
    302,
    of(({ path }) => ({ path: `${path}/downloads/tool` })),
  ),
  'GET /projects/:id/releases/:tag_name/evidences/:evidence_id': inProject(
    'code readers',
    200,
    of(({ path, evidence }) => ({ path: `${path}/evidences/${evidence}` })),
  ),
  'POST /projects/:id/releases/:tag_name/evidence': inProject(
    'developer',
    201,
    of(({ path }) => ({ path: `${path}/evidence` })),
  ),
  'GET /projects/:id/releases/:tag_name/assets/links': inProject(
    'code readers',
    200,
    of(({ links }) => ({ path: links })),
  ),
  'GET /projects/:id/releases/:tag_name/assets/links/:link_id': inProject(
    'code readers',
    200,
    of(({ link }) => ({ path: link })),
  ),
  'POST /projects/:id/releases/:tag_name/assets/links': inProject(
    'developer',
    201,
    of(({ links }) => ({ path: links, json: { name: 'notes', url: 'https://example.org/notes' } })),
  ),
  'PUT /projects/:id/releases/:tag_name/assets/links/:link_id': inProject(
    'developer',
    200,
    of(({ link }) => ({ path: link, json: { link_type: 'runbook' } })),
  ),
  'DELETE /projects/:id/releases/:tag_name/assets/links/:link_id': inProject(
    'developer',
    200,
    of(({ link }) => ({ path: link })),
  ),
}
