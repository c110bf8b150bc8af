import { type Static, Type } from 'typebox'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { UserBasic } from '#identity/users/basic.ts'

const PushData = Type.Object({
  commit_count: integer({ description: 'New commits on the branch; 0 for several references.' }),
  action: oneOf(['created', 'pushed', 'removed']),
  ref_type: oneOf(['branch', 'tag']),
  commit_from: nullable(Type.String()),
  commit_to: nullable(Type.String()),
  ref: nullable(Type.String({ description: 'Null for several references.' })),
  commit_title: nullable(Type.String()),
  ref_count: nullable(integer({ description: 'How many references one push changed; null for one.' })),
})
export type PushData = Static<typeof PushData>

const EventNote = Type.Object({
  id: integer(),
  type: nullable(Type.String()),
  body: Type.String(),
  attachment: nullable(Type.String()),
  author: UserBasic,
  created_at: moment(),
  system: Type.Boolean(),
  internal: Type.Boolean(),
  noteable_id: nullable(integer({ description: 'Null for a commit.' })),
  noteable_type: Type.String(),
  noteable_iid: nullable(integer()),
})

const EventWikiPage = Type.Object({
  slug: Type.String(),
  title: Type.String(),
  wiki_page_meta_id: nullable(integer()),
})

/** What somebody did in a project. */
export const Event = entity('Event', {
  id: integer(),
  title: nullable(Type.String({ description: 'Always null.' })),
  project_id: integer(),
  action_name: Type.String(),
  target_id: nullable(integer()),
  target_iid: nullable(integer({ description: 'The id of what has no iid.' })),
  target_type: nullable(Type.String()),
  target_title: nullable(Type.String({ description: 'As it is now; of a note the title of what it is on.' })),
  author_id: integer(),
  author: UserBasic,
  author_username: Type.String(),
  created_at: moment(),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  data: Type.Optional(Type.Null({ description: 'Only in lists of projects.' })),
  note: Type.Optional(EventNote),
  push_data: Type.Optional(PushData),
  wiki_page: Type.Optional(EventWikiPage),
})
export type Event = Static<typeof Event>
