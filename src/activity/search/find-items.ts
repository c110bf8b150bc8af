import { listMergeRequests } from '#code/merge-requests/list/list-merge-requests.ts'
import * as mergeRequests from '#code/merge-requests/list/listed-merge-requests.ts'
import { assertTier } from '#platform/access/tiers.ts'
import { paginateNothing } from '#platform/http/pagination.ts'
import { scopeOf } from '#planning/epics/list/scope.ts'
import { listEpics } from '#planning/epics/list-epics.ts'
import { epicTier } from '#planning/epics/tier.ts'
import { listIssues } from '#planning/issues/list-issues.ts'
import { issueOrder } from '#planning/issues/list-order.ts'
import * as issues from '#planning/issues/listed-issues.ts'
import { type Finder, forList, type SearchRequest } from './request.ts'

// The lists of issues, merge requests and epics, with their filter `search`. They decide what a caller may see.

export const findIssues: Finder = (req, reply) => {
  const { authorizedProject: project, authorizedGroup: group, viewer } = req
  const { confidential, state } = req.query
  const wanted = confidential === undefined ? {} : { confidential }
  const asked = forList(req, { ...wordsOf(req), ...wanted, ...(isState(state) && { state }) })
  // No issue is merged.
  if (state === 'merged' || project?.can('read_issue') === false) return nothing(req, reply)
  const scope =
    project !== undefined
      ? issues.ofProject(viewer, project)
      : group !== undefined
        ? issues.ofGroup(viewer, group)
        : issues.ofInstance(viewer)
  return listIssues(asked, reply, issueOrder, scope)
}

const isState = (state: string | undefined): state is 'opened' | 'closed' =>
  state === 'opened' || state === 'closed'

export const findMergeRequests: Finder = (req, reply) => {
  const { authorizedProject: project, authorizedGroup: group, viewer } = req
  const { state } = req.query
  if (project?.can('read_merge_request') === false) return nothing(req, reply)
  const scope =
    project !== undefined
      ? mergeRequests.ofProject(viewer, project)
      : group !== undefined
        ? mergeRequests.ofGroup(viewer, group)
        : mergeRequests.ofInstance(viewer)
  return listMergeRequests(forList(req, { ...wordsOf(req), ...(state && { state }) }), reply, scope)
}

export const findEpics: Finder = (req, reply) => {
  const { authorizedGroup: group, viewer, query } = req
  assertTier(epicTier, req.server.services)
  const around = { include_ancestor_groups: false, include_descendant_groups: true }
  const scope = group === undefined ? ({ kind: 'instance', viewer } as const) : scopeOf(viewer, group, around)
  return listEpics(
    forList(req, { search: query.search, with_labels_details: false, ...around }),
    reply,
    scope,
  )
}

/** In several projects, those that are archived are left out, as in the lists themselves. */
const wordsOf = ({ query }: SearchRequest) => ({
  search: query.search,
  in: query.fields ?? [],
  non_archived: true,
})

const nothing: Finder = async (req, reply) => paginateNothing(req, reply)
