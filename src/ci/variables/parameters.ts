import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { ById, flag, nullable, oneOf, text } from '#platform/http/schema.ts'

const MAX_VALUE = 10_000

const key = text({ filled: true, description: 'Letters, digits and `_`.' })
const value = text({ max: MAX_VALUE, description: 'What jobs find.' })

/** What all kinds of variables have, none of it required. */
const options = {
  variable_type: Type.Optional(
    oneOf(['env_var', 'file'], { description: '`file`: jobs find the path of a file that holds the value.' }),
  ),
  protected: Type.Optional(flag({ description: 'Only for jobs of protected branches and tags.' })),
  masked: Type.Optional(flag({ description: 'Job logs show `[MASKED]` instead of the value.' })),
  raw: Type.Optional(
    flag({ description: 'References to other variables in the value are left as they are.' }),
  ),
  description: Type.Optional(nullable(text())),
}

const environment_scope = text({
  filled: true,
  description:
    'Only for jobs with an environment of this name, in which `*` stands for anything; by default `*`.',
})

const filter = Type.Optional(
  Type.Object(
    { environment_scope: Type.Optional(text()) },
    { description: 'Which variable is meant, when several environments have one with this key.' },
  ),
)

const masked_and_hidden = Type.Optional(
  flag({ description: 'Like `masked`, and nobody can read the value again.' }),
)

const ByKey = Type.Object({ key: text({ description: 'The key of a variable.' }) })

export const ByVariable = Type.Object({ ...ById.properties, ...ByKey.properties })
export const VariableFilter = Type.Object({ filter })
export const VariablePages = Type.Object(pageParameters)
export const NewVariable = Type.Object({
  key,
  value,
  ...options,
  environment_scope: Type.Optional(environment_scope),
  masked_and_hidden,
})
export const VariableChanges = Type.Object({
  value: Type.Optional(value),
  ...options,
  environment_scope: Type.Optional(environment_scope),
  filter,
})

export const ByInstanceVariable = ByKey
export const NewInstanceVariable = Type.Object({ key, value, ...options })
export const InstanceVariableChanges = Type.Object({ value: Type.Optional(value), ...options })
