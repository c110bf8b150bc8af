import { Type } from 'typebox'
import { MAX_AVATAR } from '#identity/avatars/read-avatar.ts'
import { pageParameters } from '#platform/http/order.ts'
import { file, flag, integer, nullable, rules, text } from '#platform/http/schema.ts'
import { DEFAULT_ORGANIZATION } from '#identity/organizations/queries.ts'
import { MAX_NAME } from './names.ts'

export const ById = Type.Object({ id: integer({ description: 'The id of a topic.' }) })

export const Filter = Type.Object({
  ...pageParameters,
  search: Type.Optional(
    text({ description: 'Part of the name; with fewer than three characters the whole name.' }),
  ),
  without_projects: Type.Optional(flag({ description: 'Only topics without a project that you can see.' })),
})

const name = text({
  max: MAX_NAME,
  filled: true,
  description: 'One line without commas, as projects name topics.',
})
const title = text({ max: 255, filled: true })
const pictures = {
  avatar: Type.Optional(nullable(file({ max: MAX_AVATAR, description: 'A blank value removes it.' }))),
  file: Type.Optional(
    file({ max: MAX_AVATAR, description: 'Another name of `avatar`, which some clients use.' }),
  ),
}
const description = Type.Optional(nullable(text({ max: 1024 })))

export const NewTopic = Type.Object({
  name,
  title,
  ...pictures,
  description,
  organization_id: Type.Integer({ default: DEFAULT_ORGANIZATION, description: 'Experimental.' }),
})

const changes = {
  name: Type.Optional(name),
  title: Type.Optional(title),
  ...pictures,
  description,
}
export const TopicChanges = Type.Object(changes, rules({ atLeastOneOf: Object.keys(changes) }))

export const Merge = Type.Object({
  source_topic_id: integer({ description: 'The topic that is deleted.' }),
  target_topic_id: integer({ description: 'The topic that gets the projects of the source.' }),
})
