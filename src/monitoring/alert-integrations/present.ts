import type { Db } from '#platform/db/pool.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import { type IntegrationRow, presentIntegration, receiverUrl } from './entity.ts'
import { openKey } from './keys.ts'
import { settingsOf } from './settings-of.ts'

/** The project of integrations, and how they are shown to somebody. */
interface Audience {
  readonly project: { readonly id: number; readonly full_path: string }
  readonly site: string
  /** Whether URLs and keys are shown. */
  readonly isTrusted: boolean
}

/** Presents integrations of one project. */
export async function presentIntegrations(
  services: { readonly db: Db; readonly secrets: Secrets },
  rows: readonly IntegrationRow[],
  { project, site, isTrusted }: Audience,
) {
  const { external_on_call } = await settingsOf(services.db, project.id)
  return Promise.all(
    rows.map(async (row) => {
      if (!isTrusted) return presentIntegration(row, undefined, external_on_call)
      const authorization_key = await openKey(services, row.authorization_key)
      const url = receiverUrl(site, project.full_path, row)
      return presentIntegration(row, { url, authorization_key }, external_on_call)
    }),
  )
}
