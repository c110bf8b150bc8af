import type { Feature } from '#platform/feature.ts'
import { secureFileAbilities } from './abilities.ts'
import { auditedSecureFile, secureFileFacts } from './facts.ts'
import { secureFileRoutes } from './routes.ts'
import { secureFileSettings } from './settings.ts'

/** Files that jobs may load, and that nobody sees in the repository. */
export const secureFiles: Feature = {
  areas: [
    {
      name: 'Secure files',
      about: 'Files that jobs may load, such as keys, and that nobody sees in the repository.',
      segments: ['secure_files'],
    },
  ],
  routes: [secureFileRoutes],
  abilities: secureFileAbilities,
  facts: secureFileFacts,
  settings: secureFileSettings,
  audited: auditedSecureFile,
  unique: { secure_files_name_key: { attribute: 'name' } },
}
