import type { Feature } from '#platform/feature.ts'
import { uploadAbilities } from './abilities.ts'
import { uploadUrl } from './addresses.ts'
import { auditedUploads, uploadFacts } from './facts.ts'
import { uploadRoutes } from './routes.ts'
import { uploadSettings } from './settings.ts'

/** Files that people attach to texts. */
export const uploads: Feature = {
  areas: [{ name: 'Uploads', about: 'Files that texts of projects and groups show.', segments: ['uploads'] }],
  routes: [uploadRoutes],
  rewrites: [uploadUrl],
  abilities: uploadAbilities,
  facts: uploadFacts,
  settings: uploadSettings,
  audited: auditedUploads,
}
