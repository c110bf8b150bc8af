import { Type } from 'typebox'
import { CommitEntity } from '#code/commits/entity.ts'
import { UserBasic, type UserBasicRow } from '#identity/users/basic.ts'
import { Milestone, type MilestoneRow } from '#planning/milestones/entity.ts'
import type { ReleaseLinkType } from '#platform/db/schema.ts'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'

export const linkTypes = [
  'other',
  'runbook',
  'image',
  'package',
] as const satisfies readonly ReleaseLinkType[]

export const ReleaseLink = entity('ReleaseLink', {
  id: integer(),
  name: Type.String(),
  url: Type.String(),
  direct_asset_url: Type.String({ description: 'An address that stays the same when `url` changes.' }),
  link_type: oneOf<ReleaseLinkType>(linkTypes),
})

const Evidence = Type.Object({ sha: Type.String(), filepath: Type.String(), collected_at: moment() })
const Source = Type.Object({ format: Type.String(), url: Type.String() })

const Addresses = Type.Object({
  closed_issues_url: Type.String(),
  closed_merge_requests_url: Type.String(),
  edit_url: Type.Optional(Type.String({ description: 'For those who may change it.' })),
  merged_merge_requests_url: Type.String(),
  opened_issues_url: Type.String(),
  opened_merge_requests_url: Type.String(),
  self: Type.String(),
})

const basic = {
  name: Type.String(),
  tag_name: Type.Optional(
    Type.String({ description: 'For those who may read the code, as `commit`, `sources` and `evidences`.' }),
  ),
  description: nullable(Type.String()),
  created_at: moment(),
  released_at: moment(),
  upcoming_release: Type.Boolean(),
}

export const Release = entity('Release', {
  ...basic,
  description_html: Type.Optional(Type.String({ description: 'With `include_html_description`.' })),
  author: nullable(UserBasic),
  commit: Type.Optional(nullable(CommitEntity)),
  milestones: Type.Optional(Type.Array(Milestone)),
  commit_path: Type.Optional(Type.String()),
  tag_path: Type.Optional(Type.String()),
  assets: Type.Object({
    count: integer(),
    sources: Type.Optional(Type.Array(Source)),
    links: Type.Array(ReleaseLink),
  }),
  evidences: Type.Optional(Type.Array(Evidence)),
  _links: Addresses,
})

/** A release as a list with `simple` shows it: without what is read of repositories and of other rows. */
export const ListedRelease = entity('ListedRelease', {
  ...Release.properties,
  author: Type.Optional(Release.properties.author),
  assets: Type.Optional(Release.properties.assets),
  _links: Type.Optional(Addresses),
})

export interface LinkRow {
  readonly id: number
  readonly name: string
  readonly url: string
  readonly filepath: string | null
  readonly link_type: ReleaseLinkType
}

export interface EvidenceRow {
  readonly id: number
  readonly sha: string
  readonly collected_at: string
}

/** A release with everything that presenting it needs. */
export interface ReleaseRow {
  readonly id: number
  readonly project_id: number
  readonly tag: string
  readonly name: string
  readonly description: string | null
  readonly sha: string
  readonly released_at: string
  readonly created_at: string
  readonly updated_at: string
  /** The path of its project, without and with those above. */
  readonly path: string
  readonly full_path: string
  readonly author: UserBasicRow | null
  readonly links: readonly LinkRow[]
  readonly milestones: readonly MilestoneRow[]
  readonly evidences: readonly EvidenceRow[]
  /** The bytes of what a list was read without. */
  readonly left_out?: number
}
