import { Type } from 'typebox'
import { MAX_NAME } from '#code/repositories/limits.ts'
import { ById, text } from '#platform/http/schema.ts'

export const noDeployKeys = {
  deploy_key_id: 'protections cannot name deploy keys: one that may push does so as a Developer',
} as const

export const ByProtected = Type.Object({
  ...ById.properties,
  name: text({ max: MAX_NAME, description: 'The URL-encoded name or pattern.' }),
})

export const protectedName = text({
  max: 255,
  filled: true,
  description: 'A name, or a pattern in which `*` stands for any characters.',
})
