import type { Feature } from '#platform/feature.ts'
import { avatarPages } from './pages.ts'
import { avatarRoutes } from './routes.ts'

/** Pictures of people, groups and projects. */
export const avatars: Feature = {
  areas: [{ name: 'Avatars', about: 'Pictures of users, groups and projects.', segments: ['avatar'] }],
  routes: [avatarRoutes],
  pages: [avatarPages],
}
