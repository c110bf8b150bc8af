import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { ListedMergeRequest } from '#code/merge-requests/list/entity.ts'
import { Snippet } from '#code/snippets/entity.ts'
import { UserBasic } from '#identity/users/basic.ts'
import { anyone, group, project, reads } from '#platform/access/route-access.ts'
import { keysetNotOffered } from '#platform/http/keyset.ts'
import { ById } from '#platform/http/schema.ts'
import { invalidParameters } from '#platform/refusals.ts'
import { Epic } from '#planning/epics/entity.ts'
import { Issue } from '#planning/issues/entity.ts'
import { Milestone } from '#planning/milestones/entity.ts'
import { noteOn } from '#planning/notes/entity.ts'
import { eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { FoundBlob, FoundCommit } from './blob-entity.ts'
import { findBlobs, findCommits, findWikiBlobs } from './find-in-git.ts'
import { findEpics, findIssues, findMergeRequests } from './find-items.ts'
import { findNotes, kindsInProjects } from './find-notes.ts'
import { findUsers } from './find-people.ts'
import { findMilestones, findProjects } from './find-places.ts'
import { findSnippets } from './find-snippets.ts'
import { SearchEverywhere, SearchInProject } from './parameters.ts'
import type { Finder, SearchRequest } from './request.ts'
import { type EverywhereScope, type OnlyInProject, onlyInProject, type ProjectScope } from './scopes.ts'
import { countAgainstSearchLimit } from './search-limit.ts'

const findersEverywhere: Readonly<Record<EverywhereScope, Finder>> = {
  projects: findProjects,
  issues: findIssues,
  merge_requests: findMergeRequests,
  milestones: findMilestones,
  epics: findEpics,
  users: findUsers,
  snippet_titles: findSnippets,
}

const findersInProject: Readonly<Record<ProjectScope, Finder>> = {
  issues: findIssues,
  merge_requests: findMergeRequests,
  milestones: findMilestones,
  users: findUsers,
  notes: findNotes,
  commits: findCommits,
  blobs: findBlobs,
  wiki_blobs: findWikiBlobs,
}

/** Searches: what each finds depends on the parameter `scope`. */
export const searchRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const shared = [Issue, ListedMergeRequest, Milestone, UserBasic]
  const everywhere = {
    querystring: SearchEverywhere,
    response: { 200: listOf([...shared, eitherProjectEntity(), Epic, Snippet]) },
  }
  const notes = kindsInProjects().map(noteOn)

  app.get(
    '/search',
    { config: reads(anyone), schema: { summary: 'Search the instance', ...everywhere } },
    (req, reply) => find(req, reply, everywhereBy(req.query.scope)),
  )

  app.get(
    '/groups/:id/search',
    {
      config: reads(group('read_group')),
      schema: {
        summary: 'Search a group',
        description: 'Also finds what is in the projects and groups below it.',
        params: ById,
        ...everywhere,
      },
    },
    (req, reply) => find(req, reply, everywhereBy(req.query.scope)),
  )

  app.get(
    '/projects/:id/search',
    {
      config: reads(project('read_project')),
      schema: {
        summary: 'Search a project',
        description:
          'Git searches files and commits for a second. Where there may be more than it found, the answer has the header `X-Search-Incomplete`.',
        params: ById,
        querystring: SearchInProject,
        response: { 200: listOf([...shared, ...notes, FoundCommit, FoundBlob]) },
      },
    },
    (req, reply) => find(req, reply, findersInProject[req.query.scope]),
  )
}

/** A list of one kind of things. */
const listOf = (kinds: readonly TSchema[]) =>
  Type.Unsafe<readonly object[]>(Type.Array(Type.Union([...kinds])))

/** @throws 400 for what only projects have a search for */
function everywhereBy(scope: EverywhereScope | OnlyInProject): Finder {
  if (!isOnlyInProject(scope)) return findersEverywhere[scope]
  const text = `can be ${scope} only in the search of a project: GET /projects/:id/search`
  throw invalidParameters([{ name: 'scope', text, missing: false }])
}

const isOnlyInProject = (scope: string): scope is OnlyInProject => onlyInProject.some((one) => one === scope)

/** @throws 405 for keyset pages, and as {@link countAgainstSearchLimit} and the finders do */
async function find(req: SearchRequest, reply: FastifyReply, finder: Finder) {
  await countAgainstSearchLimit(req)
  if (req.query.pagination === 'keyset') throw keysetNotOffered()
  return finder(req, reply)
}
