import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import type { ContainerKind } from '#platform/access/container-sources.ts'
import type { TreePosition } from '#platform/access/containers.ts'
import type { Badges } from '#platform/db/schema.ts'
import { entity, integer, nullable, oneOf } from '#platform/http/schema.ts'
import { type PlaceholderValues, replacePlaceholders } from './placeholders.ts'

const urls = {
  link_url: Type.String({ description: 'With its placeholders.' }),
  image_url: Type.String({ description: 'With its placeholders.' }),
  rendered_link_url: Type.String({ description: 'With values instead of placeholders.' }),
  rendered_image_url: Type.String({ description: 'With values instead of placeholders.' }),
}

/** A badge as the API presents it. */
export const Badge = entity('Badge', {
  id: integer(),
  name: nullable(Type.String()),
  ...urls,
  kind: oneOf(['project', 'group'], { description: 'Whether it belongs to the project or to a group.' }),
})

/** URLs as a badge would show them. */
export const BadgePreview = entity('BadgePreview', {
  name: Type.Optional(nullable(Type.String({ description: 'Only for groups, and always null.' }))),
  ...urls,
})

/** A row of a badge. */
export type BadgeRow = Pick<
  Selectable<Badges>,
  'id' | 'namespace_id' | 'name' | 'link_url' | 'image_url' | 'updated_at'
>

export const badgeColumns = ['id', 'namespace_id', 'name', 'link_url', 'image_url', 'updated_at'] as const

/** The project or group whose badges are shown. */
export interface BadgeContainer extends TreePosition {
  readonly kind: ContainerKind
  /** Of the project or group. */
  readonly id: number
  readonly full_path: string
}

/** @param values what replaces placeholders; undefined leaves them as they are. */
export function presentBadge(
  row: BadgeRow,
  container: BadgeContainer,
  values: PlaceholderValues | undefined,
): Static<typeof Badge> {
  const isOwn = row.namespace_id === container.namespace_id
  return { id: row.id, name: row.name, ...presentUrls(row, values), kind: isOwn ? container.kind : 'group' }
}

export function presentUrls(
  { link_url, image_url }: Pick<BadgeRow, 'link_url' | 'image_url'>,
  values: PlaceholderValues | undefined,
): Static<typeof BadgePreview> {
  const render = (url: string) => (values === undefined ? url : replacePlaceholders(url, values))
  return {
    link_url,
    image_url,
    rendered_link_url: render(link_url),
    rendered_image_url: render(image_url),
  }
}
