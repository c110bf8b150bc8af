import { Event } from '#activity/events/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { addressOf } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { pageOf, slashed } from '../frame/project.ts'

/** Events that are looked through. */
const MOST = 20
/** Milliseconds for which a push is recent. */
const RECENT = 2 * 60 * 60 * 1_000
/** Milliseconds by which a project knows of what happens in it late. */
const LATE = 60_000

/** The branch that the visitor pushed to lately, unless they have opened a merge request since. */
export async function recentPush(api: Api, project: EitherProject, me: number): Promise<Html | undefined> {
  if (project.merge_requests_enabled === false) return undefined
  // Where nothing has happened lately, nobody has pushed.
  if (Date.now() - Date.parse(project.last_activity_at) > RECENT + LATE) return undefined
  const list = await api.findList(Event, path`/projects/${project.id}/events`, { per_page: MOST })
  const own = (list?.items ?? []).filter(
    ({ author_id, created_at }) => author_id === me && Date.now() - Date.parse(created_at) < RECENT,
  )
  const last = own.find(
    ({ push_data, target_type }) => push_data !== undefined || target_type === 'MergeRequest',
  )
  const push = last?.push_data
  if (last === undefined || push === undefined || push.action === 'removed' || push.ref_type !== 'branch')
    return undefined
  const { ref } = push
  if (ref === null || ref === project.default_branch) return undefined
  const query = { 'merge_request[source_branch]': ref }
  return html`<p class="notice">
    You pushed to <a href="${pageOf(project, `tree/${slashed(ref)}`)}">${ref}</a> ${since(last.created_at)}.
    <a href="${addressOf(pageOf(project, 'merge_requests/new'), query)}">Open a merge request</a>
  </p>`
}
