import { Type } from 'typebox'
import { noDeployKeys, protectedName } from '#code/protected-references/schema.ts'
import { refusedParameter } from '#platform/http/later.ts'
import { integer, list, oneOfNumbers } from '#platform/http/schema.ts'

export const NewProtectedTag = Type.Object({
  name: protectedName,
  create_access_level: Type.Optional(
    oneOfNumbers([0, 30, 40], {
      description: 'The lowest level that may create such tags: 0 for nobody; 40 by default.',
    }),
  ),
  allowed_to_create: Type.Optional(
    list(
      Type.Object({
        access_level: Type.Optional(oneOfNumbers([0, 30, 40])),
        user_id: Type.Optional(integer({ minimum: 1 })),
        group_id: Type.Optional(integer({ minimum: 1 })),
        deploy_key_id: Type.Optional(integer(refusedParameter(noDeployKeys.deploy_key_id))),
      }),
      { description: 'Who may create such tags: levels, or on Premium also users and groups.' },
    ),
  ),
})
