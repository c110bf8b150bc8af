import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { flag, idOrPath, integer, rules, text } from '#platform/http/schema.ts'
import { NewKey } from '#identity/keys/schema.ts'

export const ByDeployKey = Type.Object({
  id: idOrPath({ description: 'The id or the URL-encoded path.' }),
  key_id: integer({ description: 'The id of a deploy key.' }),
})

export const ByUserOrName = Type.Object({
  id_or_username: idOrPath({ max: 255, description: 'The id or username of a user.' }),
})

export const ProjectKeyList = Type.Object(pageParameters)

export const DeployKeyFilter = Type.Object({
  ...pageParameters,
  public: Type.Boolean({ default: false, description: '`true` for public deploy keys only.' }),
})

export const NewPublicDeployKey = NewKey

const can_push = flag({ description: 'Whether the key may push to the project.' })

export const NewDeployKey = Type.Object({
  ...NewKey.properties,
  can_push: Type.Boolean({ ...can_push, default: false }),
})

export const DeployKeyChanges = Type.Object(
  {
    title: Type.Optional(text({ filled: true, description: 'For the key in all of its projects.' })),
    can_push: Type.Optional(can_push),
  },
  rules({ atLeastOneOf: ['title', 'can_push'] }),
)
