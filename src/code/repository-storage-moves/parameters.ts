import { Type } from 'typebox'
import { ById, integer, text } from '#platform/http/schema.ts'

const moveId = { repository_storage_id: integer({ description: 'The id of a move.' }) }

export const ByMove = Type.Object(moveId)
export const ByMoveOf = Type.Object({ ...ById.properties, ...moveId })
export const BySnippet = Type.Object({ id: integer({ description: 'The id of a snippet.' }) })
export const ByMoveOfSnippet = Type.Object({ ...BySnippet.properties, ...moveId })

const destination = Type.Optional(
  text({
    filled: true,
    description: 'The name of a storage. Without it, the weights for new repositories choose another one.',
  }),
)

export const NewMove = Type.Object({ destination_storage_name: destination })
export const MoveStorage = Type.Object({
  source_storage_name: text({ filled: true, description: 'The name of the storage to leave.' }),
  destination_storage_name: destination,
})
