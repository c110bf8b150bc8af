import type { Feature } from '#platform/feature.ts'
import { httpSettings } from './settings.ts'

/** Limits of requests. */
export const http: Feature = {
  settings: httpSettings,
}
