import { Type } from 'typebox'

/** Names of abilities, such as `create_issue`. */
export const AbilityNames = Type.Array(Type.String(), { title: 'AbilityNames' })
