import type { LargeData } from './large-data.ts'

/** What the server under measurement has, and who may ask for it. */
export interface World extends LargeData {
  /** Projects that the joiner is a member of. */
  readonly joined: readonly number[]
  readonly administrator: { readonly token: string }
}

/** Of the server under measurement, from its first start on. */
export const ROOT_TOKEN = 'glpat-administrator-of-the-measurements'

/** Something that people do often, as other programs of the field can do it too. */
export interface Job {
  readonly name: string
  readonly as: 'member' | 'administrator'
  readonly path: (world: World) => string
  /** The body of a POST; without one it is a GET. */
  readonly body?: string
  /** What share it should reach of the throughput of a bare handler that runs the same statements. */
  readonly share?: number
  /** How many statements it may take, besides the beginning and the end of a transaction. */
  readonly statements?: number
}

export const NOTE = JSON.stringify({ body: 'A comment of a line or so, as people write them.' })

const notes = ({ largeProject }: World) => `/projects/${largeProject}/issues/1/notes`

/** The job that we know most about. */
export const twentyNotes: Job = { name: '20 notes', as: 'member', path: notes, share: 0.85, statements: 4 }

/** The same on a merge request, which has as many. */
export const twentyNotesOnMergeRequest: Job = {
  name: '20 notes on a merge request',
  as: 'member',
  path: ({ largeProject }) => `/projects/${largeProject}/merge_requests/1/notes`,
  statements: 4,
}

/** The same on one whose system notes name something else, which not everybody may see. */
export const twentyNotesOnMentioned: Job = {
  ...twentyNotesOnMergeRequest,
  name: '20 notes on what others mention',
  path: ({ largeProject }) => `/projects/${largeProject}/merge_requests/2/notes`,
}

/** A page of the feed of the project in which most things happened, with its total. */
export const twentyEvents: Job = {
  name: '20 events',
  as: 'member',
  path: ({ largeProject }) => `/projects/${largeProject}/events`,
}
/** The same for whoever polls. */
export const newEvents: Job = {
  ...twentyEvents,
  name: '20 events by keys',
  path: ({ largeProject }) => `/projects/${largeProject}/events?pagination=keyset`,
}

export const jobs: readonly Job[] = [
  twentyNotes,
  twentyNotesOnMergeRequest,
  twentyNotesOnMentioned,
  {
    name: '20 issues',
    as: 'member',
    path: ({ largeProject }) => `/projects/${largeProject}/issues`,
    statements: 4,
  },
  {
    name: '20 merge requests',
    as: 'member',
    path: ({ largeProject }) => `/projects/${largeProject}/merge_requests`,
    statements: 4,
  },
  {
    name: 'one issue',
    as: 'member',
    path: ({ largeProject }) => `/projects/${largeProject}/issues/1`,
    statements: 3,
  },
  {
    name: 'a new note',
    as: 'member',
    // Elsewhere than where notes are listed: thousands more would be counted there.
    path: ({ largeProject }) => `/projects/${largeProject}/issues/2/notes`,
    body: NOTE,
    share: 0.85,
    statements: 5,
  },
  { name: '20 projects, administrator', as: 'administrator', path: () => '/projects', statements: 4 },
  { name: '20 projects, member of 100 groups', as: 'member', path: () => '/projects', statements: 4 },
  { name: 'who am I', as: 'member', path: () => '/user', statements: 3 },
]
