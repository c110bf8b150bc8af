import { Type } from 'typebox'
import { integer, text } from '#platform/http/schema.ts'

export const ReturnTo = Type.Object({ return_to: Type.Optional(text({ max: 8_192 })) })

export const SignInForm = Type.Object({
  ...ReturnTo.properties,
  login: text({ max: 255, filled: true }),
  // Longer ones only cost time; identity/users/password.ts has the rules for new passwords.
  password: text({ max: 1_024, filled: true }),
})

export const BySession = Type.Object({ id: integer() })

export const SessionPage = Type.Object({
  before: Type.Optional(integer({ description: 'Only sessions older than the one with this id.' })),
})
