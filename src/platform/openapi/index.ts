import type { Feature } from '#platform/feature.ts'
import { openapiRoutes } from './routes.ts'

/** The description of the API. */
export const openapi: Feature = {
  areas: [{ name: 'API description', about: 'This description of the API.', segments: ['openapi'] }],
  routes: [openapiRoutes],
}
