import type { Feature } from '#platform/feature.ts'
import { auditedNamespace, namespaceFacts } from './facts.ts'
import { removeSubtree } from './remove-subtree.ts'
import { namespaceRoutes } from './routes.ts'
import { namespaceSettings } from './settings.ts'

/** The tree of everything that has a path. */
export const namespaces: Feature = {
  areas: [
    {
      name: 'Namespaces',
      about: 'Namespaces contain projects: they belong to groups and users.',
      segments: ['namespaces'],
    },
  ],
  routes: [namespaceRoutes],
  unique: { namespaces_full_path_key: { attribute: 'path' } },
  facts: namespaceFacts,
  audited: auditedNamespace,
  settings: namespaceSettings,
  tasks: [removeSubtree],
}
