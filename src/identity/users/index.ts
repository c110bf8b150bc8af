import type { Feature } from '#platform/feature.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { userAdminRoutes } from './admin-routes.ts'
import { auditedUser, userFacts } from './facts.ts'
import { ownProfileRoutes } from './own-profile-routes.ts'
import { ownRoutes } from './own-routes.ts'
import { passwordPages } from './password-routes.ts'
import { removeUser } from './remove-user.ts'
import { userRoutes } from './routes.ts'
import { userSettings } from './settings.ts'
import { userStateRoutes } from './state-routes.ts'

/** Accounts, and what people do with their own. */
export const users: Feature = {
  areas: [
    {
      name: 'Users',
      about: 'Users: your own account, other users, and their administration.',
      segments: ['users', 'user', 'user_counts'],
    },
  ],
  routes: [ownRoutes, ownProfileRoutes, userRoutes, userAdminRoutes, userStateRoutes],
  pages: [passwordPages],
  unique: {
    users_username_key: { attribute: 'username', conflict: knownTexts['username-taken'] },
    users_email_key: { attribute: 'email', conflict: knownTexts['email-taken'] },
  },
  facts: userFacts,
  audited: auditedUser,
  settings: userSettings,
  tasks: [removeUser],
}
