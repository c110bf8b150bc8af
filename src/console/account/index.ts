import type { Feature } from '#platform/feature.ts'
import { emailPages } from './email-routes.ts'
import { keyPages } from './key-routes.ts'
import { notificationPages } from './notification-routes.ts'
import { placeNotificationPages } from './place-notification-routes.ts'
import { preferencePages } from './preference-routes.ts'
import { profilePages } from './profile-routes.ts'

/** What people decide about their own account. */
export const accountPages: Feature = {
  pages: [profilePages, emailPages, keyPages, notificationPages, placeNotificationPages, preferencePages],
}
