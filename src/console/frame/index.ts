import type { Feature } from '#platform/feature.ts'
import { pageNavigation } from '#platform/pages/page.ts'
import { navigation } from './navigation.ts'
import { consoleUrl } from './addresses.ts'

/** What all pages of the console share: their addresses, the requests to the API, the layout. */
export const consoleFrame: Feature = {
  rewrites: [consoleUrl],
  extensions: [pageNavigation.with(navigation)],
}
