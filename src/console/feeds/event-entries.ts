import type { Event } from '#activity/events/entity.ts'
import type { FeedEntry } from '#platform/pages/atom-feed.ts'
import { eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { pageOfEvent } from '../frame/event-page.ts'

/** What people did as entries of a feed. Events of projects that the reader does not see any more are left out. */
export async function eventEntries(api: Api, site: string, events: readonly Event[]): Promise<FeedEntry[]> {
  const paths = await pathsOf(api, new Set(events.map(({ project_id }) => project_id)))
  return events.flatMap((event) => {
    const project = paths.get(event.project_id)
    return project === undefined ? [] : [entryOf(event, site, project)]
  })
}

/** The paths of projects by their ids, as far as the reader sees them. There are no more than entries. */
async function pathsOf(api: Api, ids: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> {
  const found = await Promise.all(
    [...ids].map((id) => api.find(eitherProjectEntity(), path`/projects/${id}`, { simple: true })),
  )
  return new Map(
    found.flatMap((project) =>
      project === undefined ? [] : [[project.id, project.path_with_namespace] as const],
    ),
  )
}

function entryOf(event: Event, site: string, project: string): FeedEntry {
  const { author, action_name, created_at, id } = event
  const { what, summary } = aboutOf(event)
  const page = pageOfEvent(event)
  const day = created_at.slice(0, 10)
  return {
    id: `tag:${new URL(site).hostname},${day}:event/${id}`,
    page: `${site}/${project}${page === undefined ? '' : `/-/${page}`}`,
    title: [author.name, action_name, what, 'at', project].filter((part) => part !== '').join(' '),
    updated: created_at,
    author: author.name,
    summary,
  }
}

interface About {
  /** In a few words. */
  readonly what: string
  readonly summary?: string | undefined
}

function aboutOf({ push_data: push, note, wiki_page: wiki, ...event }: Event): About {
  const { target_type, target_iid, target_title } = event
  if (push !== undefined) {
    const { ref, ref_type, commit_title } = push
    return { what: `${ref_type} ${ref ?? ''}`.trim(), summary: commit_title ?? undefined }
  }
  if (note !== undefined) return { what: named(note.noteable_type, note.noteable_iid), summary: note.body }
  if (wiki !== undefined) return { what: 'wiki page', summary: wiki.title }
  if (target_type === null) return { what: 'project' }
  return { what: named(target_type, target_iid), summary: target_title ?? undefined }
}

/** `MergeRequest` → `merge request 3` */
function named(type: string, iid: number | null): string {
  const words = type
    .replaceAll(/::.*$/g, '')
    .replaceAll(/(?<=[a-z])[A-Z]/g, ' $&')
    .toLowerCase()
  return iid === null ? words : `${words} ${iid}`
}
