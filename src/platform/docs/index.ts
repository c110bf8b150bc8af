import type { Feature } from '#platform/feature.ts'
import { docsRoutes } from './routes.ts'

/** The reference page of the API. */
export const docs: Feature = {
  pages: [docsRoutes],
}
