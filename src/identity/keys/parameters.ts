import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { idOrPath, integer, text } from '#platform/http/schema.ts'

const key_id = integer({ description: 'The id of an SSH key.' })

export const ByKey = Type.Object({ key_id })
export const ByKeyId = Type.Object({ id: key_id })
export const ByUser = Type.Object({ id: integer({ description: 'The id of a user.' }) })
export const ByUserOrName = Type.Object({
  id_or_username: idOrPath({ max: 255, description: 'The id or username of a user.' }),
})
export const ByUserAndKey = Type.Object({ ...ByUser.properties, key_id })

export const KeyList = Type.Object(pageParameters)

export const ByFingerprint = Type.Object({
  fingerprint: text({
    filled: true,
    description: 'The SHA-256 or MD5 of a key, as `ssh-keygen -l` shows it.',
  }),
})
