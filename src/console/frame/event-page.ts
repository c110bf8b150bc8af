import type { Event } from '#activity/events/entity.ts'
import { slashed } from './project.ts'

/** The names of pages of what events are about. */
const pages: Readonly<Record<string, string>> = {
  Issue: 'issues',
  WorkItem: 'issues',
  MergeRequest: 'merge_requests',
  Milestone: 'milestones',
  Snippet: 'snippets',
}

/** The page of what an event is about, below its project; undefined for the project itself, and for what has no page any more. */
export function pageOfEvent({ push_data: push, note, wiki_page: wiki, ...event }: Event): string | undefined {
  if (push !== undefined)
    return push.ref === null || push.action === 'removed' ? undefined : `commits/${slashed(push.ref)}`
  if (note !== undefined) {
    const page = itemPage(note.noteable_type, note.noteable_iid)
    return page === undefined ? undefined : `${page}#note_${note.id}`
  }
  if (wiki !== undefined) return `wikis/${slashed(wiki.slug)}`
  return itemPage(event.target_type, event.target_iid)
}

function itemPage(type: string | null, iid: number | null): string | undefined {
  const below = type === null ? undefined : pages[type]
  return below === undefined || iid === null ? undefined : `${below}/${iid}`
}
