/** What can be searched for in the instance and in a group. */
export const everywhere = [
  'projects',
  'issues',
  'merge_requests',
  'milestones',
  'epics',
  'users',
  'snippet_titles',
] as const

/** What can be searched for in a project. */
export const ofProject = [
  'issues',
  'merge_requests',
  'milestones',
  'users',
  'notes',
  'commits',
  'blobs',
  'wiki_blobs',
] as const

export type EverywhereScope = (typeof everywhere)[number]
export type ProjectScope = (typeof ofProject)[number]

/** What can be searched for in a project alone. */
export type OnlyInProject = Exclude<ProjectScope, EverywhereScope>
export const onlyInProject = ['notes', 'commits', 'blobs', 'wiki_blobs'] as const satisfies OnlyInProject[]
