import { Type } from 'typebox'
import { MAX_NAME } from '#code/repositories/limits.ts'
import type { ReleaseLinkType } from '#platform/db/schema.ts'
import { orderParameters, pageParameters } from '#platform/http/order.ts'
import { ById, flag, integer, list, moment, oneOf, rules, text } from '#platform/http/schema.ts'
import { linkTypes } from './entity.ts'
import { MAX_MILESTONES } from './milestones.ts'
import { releaseOrder } from './order.ts'

const tag_name = text({ max: MAX_NAME, filled: true, description: 'The tag of the release.' })
const include_html_description = Type.Optional(
  flag({ description: 'Whether answers have `description_html`.' }),
)

export const ByRelease = Type.Object({ ...ById.properties, tag_name })
export const ByLink = Type.Object({ ...ByRelease.properties, link_id: integer() })
export const ByEvidence = Type.Object({ ...ByRelease.properties, evidence_id: integer() })
export const ByAsset = Type.Object({
  ...ByRelease.properties,
  direct_asset_path: text({ max: 1_024, description: 'The path of a link, such as `bin/tool`.' }),
})
export const BySuffix = Type.Object({
  ...ById.properties,
  suffix_path: text({ max: 1_024, description: 'What follows the tag, such as `downloads/bin/tool`.' }),
})

export const ReleaseFilter = Type.Object({
  ...orderParameters(releaseOrder),
  include_html_description,
  updated_before: Type.Optional(moment()),
  updated_after: Type.Optional(moment()),
})

export const GroupReleaseFilter = Type.Object({
  ...orderParameters(releaseOrder),
  simple: Type.Optional(
    flag({ description: 'Whether the answer has only what the releases themselves say.' }),
  ),
})

export const ReleaseQuery = Type.Object({ include_html_description })

export const LinkFilter = Type.Object(pageParameters)

const name = text({ max: 255, filled: true })
const description = Type.Optional(
  text({ max: 125_000, description: 'Markdown: what is new. At most 125,000 characters.' }),
)
const released_at = Type.Optional(
  moment({ description: 'When it is or was released. One in the future makes it an upcoming release.' }),
)
const milestones = {
  milestones: Type.Optional(
    list(text({ description: 'The exact title of a milestone of the project or of a group above it.' }), {
      comma: true,
      max: MAX_MILESTONES,
    }),
  ),
  milestone_ids: Type.Optional(list(integer(), { comma: true, max: MAX_MILESTONES })),
}
const eitherMilestones = rules({ mutuallyExclusive: ['milestones', 'milestone_ids'] })

const url = text({ max: 2_048, filled: true, description: 'An address with `http`, `https` or `ftp`.' })
const link = {
  direct_asset_path: Type.Optional(
    text({ max: 128, description: 'Begins with `/`: the end of the address that stays the same.' }),
  ),
  filepath: Type.Optional(
    text({ max: 128, deprecated: true, description: 'The older name of `direct_asset_path`.' }),
  ),
  link_type: Type.Optional(oneOf<ReleaseLinkType>(linkTypes, { description: '`other` by default.' })),
}

export const NewLink = Type.Object({ name, url, ...link })

const linkChanges = { name: Type.Optional(name), url: Type.Optional(url), ...link }
export const LinkChanges = Type.Object(linkChanges, rules({ atLeastOneOf: Object.keys(linkChanges) }))

export const NewRelease = Type.Object(
  {
    tag_name,
    name: Type.Optional(text({ max: 255, description: 'By default that of the tag.' })),
    tag_message: Type.Optional(
      text({ max: 100_000, description: 'Makes an annotated tag, where the tag is not there yet.' }),
    ),
    description,
    ref: Type.Optional(
      text({
        max: MAX_NAME,
        description: 'Where the tag is made, unless it is there: a branch, a tag or an id.',
      }),
    ),
    ...milestones,
    assets: Type.Optional(Type.Object({ links: Type.Optional(list(NewLink)) })),
    released_at,
  },
  eitherMilestones,
)

export const ReleaseChanges = Type.Object(
  { name: Type.Optional(text({ max: 255 })), description, ...milestones, released_at },
  eitherMilestones,
)
