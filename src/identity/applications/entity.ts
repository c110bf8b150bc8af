import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Applications } from '#platform/db/schema.ts'
import { entity, integer } from '#platform/http/schema.ts'

/** An OAuth application as the API presents it. */
export const Application = entity('Application', {
  id: integer(),
  application_id: Type.String({ description: 'The `client_id` of OAuth.' }),
  application_name: Type.String(),
  callback_url: Type.String({ description: 'The redirect URIs, one on each line.' }),
  confidential: Type.Boolean(),
})

/** The answer to creating an application and to renewing its secret. */
export const ApplicationWithSecret = entity('ApplicationWithSecret', {
  ...Application.properties,
  secret: Type.String({ description: 'The `client_secret`. Only this answer shows it.' }),
})

/** Every column but the digest of the secret. */
export type ApplicationRow = Omit<Selectable<Applications>, 'secret_digest'>

/** An application whose secret was just made. The secret is known only now. */
export type FreshApplication = ApplicationRow & { readonly secret: string }

export const applicationColumns = [
  'id',
  'uid',
  'name',
  'redirect_uris',
  'scopes',
  'confidential',
  'owner_id',
  'created_at',
  'updated_at',
] as const

export function presentApplication(row: ApplicationRow): Static<typeof Application> {
  return {
    id: row.id,
    application_id: row.uid,
    application_name: row.name,
    callback_url: row.redirect_uris.join('\n'),
    confidential: row.confidential,
  }
}

/** Presents an application with its secret. */
export function presentFreshApplication(row: FreshApplication): Static<typeof ApplicationWithSecret> {
  return { ...presentApplication(row), secret: row.secret }
}
