import type { Feature } from '#platform/feature.ts'
import { avatarSettings } from './settings.ts'

/** Reading and storing pictures; the avatars of tenancy are the routes that do so. */
export const avatars: Feature = {
  settings: avatarSettings,
}
