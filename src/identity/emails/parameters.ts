import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { flag, integer, text } from '#platform/http/schema.ts'

const email_id = integer({ description: 'The id of an e-mail address.' })

export const ByEmail = Type.Object({ email_id })
export const ByUser = Type.Object({ id: integer({ description: 'The id of a user.' }) })
export const ByUserAndEmail = Type.Object({ ...ByUser.properties, email_id })
export const EmailList = Type.Object(pageParameters)

const email = text({ max: 254, filled: true, description: 'The address.' })

export const NewEmailParameters = Type.Object({ email })
export const NewEmailOfUser = Type.Object({
  email,
  skip_confirmation: Type.Optional(
    flag({ description: 'Whether the address counts as confirmed at once. No mail is sent.' }),
  ),
})

const token = text({ max: 255, filled: true })

export const ConfirmationPage = Type.Object({ confirmation_token: token })
export const ResetRequest = Type.Object({ email: text({ max: 254, filled: true }) })
export const ResetPage = Type.Object({ reset_password_token: token })
const secret = text({ max: 1_024, filled: true })
export const ResetForm = Type.Object({
  reset_password_token: token,
  password: secret,
  password_confirmation: secret,
})
