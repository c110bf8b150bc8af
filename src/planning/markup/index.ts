import type { Feature } from '#platform/feature.ts'
import { markupRoutes } from './routes.ts'

/** Texts that people write, as HTML. */
export const markup: Feature = {
  areas: [{ name: 'Markdown', about: 'Markdown as HTML.', segments: ['markdown'] }],
  routes: [markupRoutes],
}
