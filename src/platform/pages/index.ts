import type { Feature } from '#platform/feature.ts'
import { accountPages } from './routes.ts'

/** What all pages for browsers share. */
export const pages: Feature = {
  pages: [accountPages],
}
