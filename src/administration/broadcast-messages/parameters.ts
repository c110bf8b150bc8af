import { type TSchema, Type } from 'typebox'
import { memberLevels } from '#platform/access/roles.ts'
import { pageParameters } from '#platform/http/order.ts'
import {
  emptiable,
  flag,
  integer,
  moment,
  nullable,
  oneOf,
  oneOfNumbers,
  text,
} from '#platform/http/schema.ts'
import { broadcastThemes, broadcastTypes } from './words.ts'

/** Characters of a message: it stands above every page. */
const MAX_MESSAGE = 5_000

export const ByBroadcastMessage = Type.Object({
  id: integer({ description: 'The id of the broadcast message.' }),
})

export const BroadcastMessageFilter = Type.Object(pageParameters)

const message = text({ max: MAX_MESSAGE, filled: true, description: 'Markdown.' })

const color = (description: string) =>
  Type.Optional(Type.String({ maxLength: 7, pattern: '^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$', description }))

const wishes = {
  starts_at: Type.Optional(moment({ description: 'By default now.' })),
  ends_at: Type.Optional(moment({ description: 'By default an hour from now.' })),
  color: color('`#rgb` or `#rrggbb`. Kept for clients: pages show the theme.'),
  font: color('`#rgb` or `#rrggbb`. Kept for clients: pages show the theme.'),
  target_access_levels: Type.Optional(
    emptiable(oneOfNumbers(memberLevels), {
      description: 'Only for people with one of these roles in the project or group that the page is about.',
    }),
  ),
  target_path: Type.Optional(
    nullable(
      text({
        description: 'Only on pages with this address; `*` stands for any characters: `*/welcome`.',
      }),
    ),
  ),
  broadcast_type: Type.Optional(oneOf(broadcastTypes, { description: 'By default `banner`.' })),
  dismissable: Type.Optional(flag({ description: 'Whether people may hide it.' })),
  theme: Type.Optional(oneOf(broadcastThemes, { description: 'By default `indigo`.' })),
} satisfies Record<string, TSchema>

export const NewBroadcastMessage = Type.Object({ message, ...wishes })

export const BroadcastMessageChanges = Type.Object({ message: Type.Optional(message), ...wishes })
