import type { Feature } from '#platform/feature.ts'
import { startPages } from './routes.ts'

/** What all pages for browsers share. */
export const pages: Feature = {
  pages: [startPages],
}
