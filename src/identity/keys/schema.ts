import { Type } from 'typebox'
import { moment, oneOf, text } from '#platform/http/schema.ts'
import { usages } from './entity.ts'

/* Parameters of keys of every kind. */

/** What every new key has. */
export const NewKey = Type.Object({
  title: text({ filled: true }),
  key: text({
    max: 5_000,
    filled: true,
    description: 'The public key, as in a `.pub` file. RSA keys need at least 2048 bits.',
  }),
  expires_at: Type.Optional(moment({ description: 'When the key stops working.' })),
})

/** A key of a person. */
export const NewSshKey = Type.Object({
  ...NewKey.properties,
  usage_type: Type.Optional(oneOf(usages, { description: '`auth_and_signing` by default.' })),
})
