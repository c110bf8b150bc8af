import {
  type Asking,
  onceIn,
  type ProjectPlace,
  type RouteExpectation,
  type RouteExpectations,
} from '#test/access/route-expectation.ts'
import { unique, w } from '#test/world.ts'

const base = ({ id }: ProjectPlace) => `/projects/${id}/registry`

/** A repository with a tag, as a push makes it. */
async function made({ id }: ProjectPlace): Promise<number> {
  const file = await w.running.services.files.store(Buffer.from(unique('{}')), { max: 100 })
  const now = w.clock.now().toISOString()
  const repository = await w.db
    .insertInto('container_repositories')
    .values({ project_id: id, name: unique('app'), created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  const manifest = await w.db
    .insertInto('container_manifests')
    .values({
      repository_id: repository.id,
      digest: Buffer.from(file.sha256, 'hex'),
      file_id: file.id,
      size: file.size,
      total_size: file.size,
      media_type: 'application/vnd.oci.image.manifest.v1+json',
      created_at: now,
      touched_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await w.db
    .insertInto('container_tags')
    .values({
      repository_id: repository.id,
      name: 'v1',
      manifest_id: manifest.id,
      created_at: now,
      updated_at: now,
    })
    .execute()
  return repository.id
}

const once = onceIn(made)
const pattern = unique('rule')
const rule = {
  repository: (place: ProjectPlace) => ({
    repository_path_pattern: `${place.fullPath}/${unique(pattern)}`.toLowerCase(),
    minimum_access_level_for_push: 'maintainer',
  }),
  tag: () => ({
    tag_name_pattern: unique(pattern),
    minimum_access_level_for_push: 'maintainer',
    minimum_access_level_for_delete: 'maintainer',
  }),
}

async function ruleIn(place: ProjectPlace, kind: 'repository' | 'tag'): Promise<string> {
  const now = w.clock.now().toISOString()
  const levels = { minimum_access_level_for_push: 'owner', minimum_access_level_for_delete: 'owner' }
  const common = { project_id: place.id, ...levels, created_at: now }
  const { id } =
    kind === 'tag'
      ? await w.db
          .insertInto('container_tag_rules')
          .values({ ...common, tag_name_pattern: unique(pattern) })
          .returning('id')
          .executeTakeFirstOrThrow()
      : await w.db
          .insertInto('container_repository_rules')
          .values({ ...common, repository_path_pattern: `/${unique(pattern)}` })
          .returning('id')
          .executeTakeFirstOrThrow()
  return `${base(place)}/protection/${kind}/rules/${id}`
}

/** A project has few rules about tags. */
async function noTagRules({ id }: ProjectPlace): Promise<void> {
  await w.db.deleteFrom('container_tag_rules').where('project_id', '=', id).execute()
}

const pulls = (request: (place: ProjectPlace) => Promise<Asking>): RouteExpectation => ({
  in: 'project',
  lowest: 'code readers',
  status: 200,
  request,
})
const cell = (
  lowest: 'developer' | 'maintainer',
  status: number,
  request: (place: ProjectPlace) => Promise<Asking>,
): RouteExpectation => ({ in: 'project', lowest, status, whileArchived: false, request })

const REPOSITORIES = '/projects/:id/registry/repositories'
const TAGS = `${REPOSITORIES}/:repository_id/tags`

const rulesOf = (kind: 'repository' | 'tag'): RouteExpectations => {
  const path = `/projects/:id/registry/protection/${kind}/rules`
  return {
    [`GET ${path}`]: cell('maintainer', 200, (place) =>
      Promise.resolve({ path: `${base(place)}/protection/${kind}/rules` }),
    ),
    [`POST ${path}`]: cell('maintainer', 201, async (place) => {
      await noTagRules(place)
      return { path: `${base(place)}/protection/${kind}/rules`, json: rule[kind](place) }
    }),
    [`PATCH ${path}/:protection_rule_id`]: cell('maintainer', 200, async (place) => ({
      path: await ruleIn(place, kind),
      json: { minimum_access_level_for_push: 'owner' },
    })),
    [`DELETE ${path}/:protection_rule_id`]: cell('maintainer', 204, async (place) => ({
      path: await ruleIn(place, kind),
    })),
  }
}

export const containerRegistryExpectations: RouteExpectations = {
  [`GET ${REPOSITORIES}`]: pulls((place) => Promise.resolve({ path: `${base(place)}/repositories` })),
  'GET /groups/:id/registry/repositories': {
    in: 'group',
    lowest: 'readers',
    status: 200,
    request: ({ id }) => ({ path: `/groups/${id}/registry/repositories` }),
  },
  'GET /registry/repositories/:id': pulls(async (place) => ({
    path: `/registry/repositories/${await once(place)}`,
  })),
  [`DELETE ${REPOSITORIES}/:repository_id`]: cell('maintainer', 202, async (place) => {
    await noTagRules(place)
    return { path: `${base(place)}/repositories/${await made(place)}` }
  }),
  [`GET ${TAGS}`]: pulls(async (place) => ({
    path: `${base(place)}/repositories/${await once(place)}/tags`,
  })),
  [`GET ${TAGS}/:tag_name`]: pulls(async (place) => ({
    path: `${base(place)}/repositories/${await once(place)}/tags/v1`,
  })),
  [`DELETE ${TAGS}/:tag_name`]: cell('developer', 200, async (place) => ({
    path: `${base(place)}/repositories/${await made(place)}/tags/v1`,
  })),
  [`DELETE ${TAGS}`]: cell('maintainer', 202, async (place) => ({
    path: `${base(place)}/repositories/${await once(place)}/tags?name_regex_delete=none`,
  })),
  ...rulesOf('repository'),
  ...rulesOf('tag'),
}
